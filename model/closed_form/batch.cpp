#include "model/closed_form/batch.hpp"

namespace tilemeter {

Problem one_stream_a_problem(Problem problem) {
  problem.heads = problem.kv_heads = 1;
  problem.packing = Packing::unpacked;
  return problem;
}

std::string over_batch(const Problem& problem, const std::string& per_problem) {
  return problem.batch == 1 ? per_problem : "(" + per_problem + ") x batch";
}

}  // namespace tilemeter
