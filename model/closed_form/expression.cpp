#include "model/closed_form/expression.hpp"

namespace tilemeter {

bool is_textbook(const Problem& problem) {
  const bool one_head_a_stream = problem.packing == Packing::unpacked || problem.group() == 1;
  return one_head_a_stream && problem.seq_q == problem.seq_k && problem.head_dim == problem.head_dim_v;
}

std::string rows_symbol(const Problem& problem) { return problem.packing == Packing::packed ? "gNq" : "Nq"; }

std::string over_streams(const Problem& problem, const std::string& per_stream) {
  if (problem.streams() == 1) return per_stream;
  const char* heads = problem.packing == Packing::packed ? "kv_heads" : "heads";
  return std::string("(").append(per_stream).append(") x batch x ").append(heads);
}

}  // namespace tilemeter
