#include "model/closed_form/flash1_backward.hpp"

#include "model/closed_form/bill.hpp"
#include "model/closed_form/expression.hpp"
#include "model/closed_form/gradients.hpp"
#include "model/closed_form/tiles.hpp"
#include "model/closed_form/visited.hpp"

namespace tilemeter {
namespace {

bool backward_counts_init(const Case& point) { return point.options.init == StatisticsInit::counted; }

}  // namespace

Work flash1_backward_bill(const Case& point) {
  const Problem& problem = point.problem;
  const VisitedSums visited(problem, point.tiling.block_q, point.tiling.block_k);
  const Wide visits = visited.query_rows_streamed();
  const Wide keys = visited.key_rows_loaded();

  Bill bill(problem, TensorName::dQ);
  bill.read(TensorName::K, {keys, problem.head_dim});
  bill.read(TensorName::V, {keys, problem.head_dim_v});
  bill.read(TensorName::Q, {visits, problem.head_dim});
  bill.read(TensorName::O, {visits, problem.head_dim_v});
  bill.read(TensorName::dO, {visits, problem.head_dim_v});
  bill.read(TensorName::dQ, {visits, problem.head_dim});
  bill.write(TensorName::dQ, {backward_counts_init(point) ? visits + problem.rows() : visits, problem.head_dim});
  bill.read(TensorName::l, {visits});
  bill.read(TensorName::m, {visits});
  bill.multiply_add({visited.scores(), Wide(3) * problem.head_dim + Wide(2) * problem.head_dim_v});
  bill.score_exponentials({visited.scores()});
  bill.tiles({visited.tiles()});
  Work work = bill.work();
  add(work, key_gradients_bill(problem, backward_counts_init(point) ? 2 : 1));
  return work;
}

std::string flash1_backward_expression(const Case& point) {
  const Problem& problem = point.problem;
  const MaskKind mask = problem.mask.kind;
  const std::string sums = key_gradients_terms(problem);
  if (is_textbook(problem) && (mask == MaskKind::none || mask == MaskKind::causal)) {
    const std::string init = backward_counts_init(point) ? " + 3Nd" : "";
    if (mask == MaskKind::none) return over_streams(problem, "4Nd + Tc(5Nd + 2N)" + init + sums);
    return over_streams(problem, "4Nd + R(5d + 2)" + init + sums) + ", R = query rows of all visited tiles";
  }
  const std::string init = backward_counts_init(point) ? " + " + rows_symbol(problem) + " d + Nk(d + dv)" : "";
  return over_streams(problem, "(Kn + Nk)(d + dv) + R(3d + 2dv + 2)" + init + sums) +
         ", Kn = key rows loaded, R = query rows of all visited tiles";
}

std::vector<KernelTiles> flash1_backward_tiles(const Case& point) {
  const Count rows = clipped(point).rows;
  std::vector<OnChipTile> tiles = key_gradient_tiles(point, QueryGradient::on_chip);
  tiles.push_back(operand_tile("O", rows, point.problem.head_dim_v, point));
  for (const char* statistic : {"l", "m", "D"}) tiles.push_back(accumulator_tile(statistic, rows, 1, point));
  return {{"flash1_backward", std::move(tiles)}};
}

}  // namespace tilemeter
