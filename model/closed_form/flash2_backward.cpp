#include "model/closed_form/flash2_backward.hpp"

#include "model/closed_form/bill.hpp"
#include "model/closed_form/expression.hpp"
#include "model/closed_form/gradients.hpp"
#include "model/closed_form/tiles.hpp"
#include "model/closed_form/visited.hpp"

namespace tilemeter {
namespace {

bool has_two_kernels(const Case& point) { return point.options.variant == Variant::two_kernels; }

/// What the kernels that work on tiles read: `query_rows` of Q, dO and the statistics, `key_rows` of K and V. D and dO
/// also have the preprocessing's traffic.
void add_streams(Bill& bill, const Problem& problem, Wide query_rows, Wide key_rows) {
  const Wide rows = problem.rows();
  bill.read(TensorName::O, {rows, problem.head_dim_v});
  bill.read(TensorName::dO, {query_rows + rows, problem.head_dim_v});
  bill.write(TensorName::D, {rows});
  bill.read(TensorName::D, {query_rows});
  bill.read(TensorName::LSE, {query_rows});
  bill.read(TensorName::Q, {query_rows, problem.head_dim});
  bill.read(TensorName::K, {key_rows, problem.head_dim});
  bill.read(TensorName::V, {key_rows, problem.head_dim_v});
  bill.write(TensorName::dQ, {rows, problem.head_dim});
}

Wide multiply_adds_per_score(const Case& point) {
  const Wide d = point.problem.head_dim;
  const Wide d_v = point.problem.head_dim_v;
  return has_two_kernels(point) ? Wide(4) * d + Wide(3) * d_v : Wide(3) * d + Wide(2) * d_v;
}

std::string textbook_backward_expression(const Case& point) {
  const std::string sums = key_gradients_terms(point.problem);
  if (has_two_kernels(point)) {
    return over_streams(point.problem, "9Nd + 3N + Tc(2Nd + 2N) + 2 Tr Nd" + sums);
  }
  const Count buffers = accumulation_buffers(point);
  const std::string more = buffers > 1 ? " + 2 x " + std::to_string(buffers - 1) + " Nd [buffers of dQacc]" : "";
  return over_streams(point.problem, "9Nd + N + Tc(4Nd + 2N)" + more + sums);
}

}  // namespace

Work flash2_backward_bill(const Case& point) {
  const Problem& problem = point.problem;
  const VisitedSums visited(problem, point.tiling.block_q, point.tiling.block_k);
  const Wide visits = visited.query_rows_streamed();
  const Wide keys = visited.key_rows_loaded();

  Bill bill(problem);
  if (has_two_kernels(point)) {
    add_streams(bill, problem, visits + visited.live_rows(), keys + visited.key_rows_streamed());
    bill.score_exponentials({2, visited.scores()});
  } else {
    add_streams(bill, problem, visits, keys);
    const Wide accumulated = visits + Wide(problem.rows()) * accumulation_buffers(point);
    bill.write(TensorName::dQacc, {accumulated, problem.head_dim});
    bill.read(TensorName::dQacc, {accumulated, problem.head_dim});
    bill.score_exponentials({visited.scores()});
  }
  bill.multiply_add({visited.scores(), multiply_adds_per_score(point)});
  bill.tiles({visited.tiles()});
  Work work = bill.work();
  add(work, key_gradients_bill(problem));
  return work;
}

std::string flash2_backward_expression(const Case& point) {
  const Problem& problem = point.problem;
  if (is_textbook(problem) && problem.mask.kind == MaskKind::none) return textbook_backward_expression(point);
  const std::string rows = rows_symbol(problem);
  const std::string sums = key_gradients_terms(problem);
  const std::string where = ", Kn = key rows loaded, R = query rows of all visited tiles";
  if (has_two_kernels(point)) {
    return over_streams(problem, rows + "(d + 2dv + 1) + (Kn + KS + Nk)(d + dv) + (R + live)(d + dv + 2)" + sums) +
           where + ", KS = key rows streamed, summed over the query tiles, live = query rows with a visited tile";
  }
  const std::string buffers = std::to_string(1 + 2 * accumulation_buffers(point));
  return over_streams(problem, rows + "(" + buffers + "d + 2dv + 1) + (Kn + Nk)(d + dv) + R(3d + dv + 2)" + sums) +
         where;
}

std::vector<KernelTiles> flash2_backward_tiles(const Case& point) {
  const auto [rows, keys] = clipped(point);
  const Count d = point.problem.head_dim;
  const Count d_v = point.problem.head_dim_v;
  const auto with_statistics = [&](std::vector<OnChipTile> tiles) {
    for (const char* statistic : {"LSE", "D"}) tiles.push_back(accumulator_tile(statistic, rows, 1, point));
    return tiles;
  };
  std::vector<KernelTiles> kernels;
  const bool two = has_two_kernels(point);
  if (keys > 0) {  // without keys nothing runs over key tiles
    kernels.push_back({two ? "dk_dv" : "main", with_statistics(key_gradient_tiles(
                                                   point, two ? QueryGradient::elsewhere : QueryGradient::on_chip))});
  }
  if (two) {
    kernels.push_back(
        {"dq", with_statistics({operand_tile("Q", rows, d, point), operand_tile("dO", rows, d_v, point),
                                accumulator_tile("dQ", rows, d, point), operand_tile("K", keys, d, point),
                                operand_tile("V", keys, d_v, point), accumulator_tile("S", rows, keys, point),
                                accumulator_tile("dP", rows, keys, point)})});
  }
  return kernels;
}

}  // namespace tilemeter
