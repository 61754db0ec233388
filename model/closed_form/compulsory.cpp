// Compulsory traffic: inputs once, outputs once.
#include "model/closed_form/bill.hpp"
#include "model/closed_form/catalog.hpp"
#include "model/closed_form/elementwise.hpp"
#include "model/closed_form/gemm.hpp"
#include "model/closed_form/softmax.hpp"
#include "model/closed_form/visited.hpp"
#include "model/closed_form/weight_layer.hpp"

namespace tilemeter {
namespace {

/// Keys that some visited tile needs, of one K/V head, and the query rows of one stream in visited tiles.
struct Needed {
  Wide query_rows;
  Wide key_rows;
};

Needed needed(Coverage coverage, const Case& point) {
  const Problem& problem = point.problem;
  if (coverage == Coverage::visited_tiles) {
    const VisitedSums visited(problem, point.tiling.block_q, point.tiling.block_k);
    return {.query_rows = visited.live_rows(), .key_rows = visited.key_rows_loaded()};
  }
  const bool empty = problem.seq_q == 0 || problem.seq_k == 0;
  return empty ? Needed{} : Needed{.query_rows = problem.rows(), .key_rows = problem.seq_k};
}

Problem with_one_stream_per_kv_head(Problem problem) {
  problem.heads = problem.kv_heads;
  return problem;
}

/// Attention and its gradients: the latter also read O and dO, and write a gradient of every operand.
Work of_attention(const Formula& formula, const Case& point) {
  const Problem& problem = point.problem;
  const Needed inputs = named("the visited tiles of a stream", [&] { return needed(formula.coverage, point); });
  const bool reads_back = formula.output == OutputType::read_back;
  const bool backward = formula.computation == Computation::gradients;

  Bill queries(problem, reads_back ? std::optional(accumulated_output(formula.computation)) : std::nullopt);
  queries.read(TensorName::Q, {inputs.query_rows, problem.head_dim});
  Bill keys(with_one_stream_per_kv_head(problem));
  keys.read(TensorName::K, {inputs.key_rows, problem.head_dim});
  keys.read(TensorName::V, {inputs.key_rows, problem.head_dim_v});
  if (backward) {
    queries.read(TensorName::O, {inputs.query_rows, problem.head_dim_v});
    queries.read(TensorName::dO, {inputs.query_rows, problem.head_dim_v});
    queries.write(TensorName::dQ, {problem.rows(), problem.head_dim});
    keys.write(TensorName::dK, {problem.seq_k, problem.head_dim});
    keys.write(TensorName::dV, {problem.seq_k, problem.head_dim_v});
  } else {
    queries.write(TensorName::O, {problem.rows(), problem.head_dim_v});
  }
  Work work = queries.work();
  add(work, keys.work());
  return work;
}

}  // namespace

Work compulsory(std::string_view algorithm, const Case& point) {
  const Formula& formula = formula_of(algorithm);
  const Case complete = accepted(formula, point);
  switch (formula.computation) {
    case Computation::attention:
    case Computation::gradients:
    case Computation::linear_attention:
      return of_attention(formula, complete);
    case Computation::gemm:
      return gemm_compulsory(complete);
    case Computation::layer:
      return weight_layer_compulsory(complete);
    case Computation::softmax:
      return softmax_compulsory(complete);
    case Computation::chain:
      return elementwise_compulsory(complete);
  }
  throw std::logic_error("no compulsory traffic is known for this computation");
}

}  // namespace tilemeter
