#include "model/closed_form/flash2.hpp"

#include "model/closed_form/bill.hpp"
#include "model/closed_form/expression.hpp"
#include "model/closed_form/tiles.hpp"
#include "model/closed_form/visited.hpp"

namespace tilemeter {

Work flash2_bill(const Case& point) {
  const Problem& problem = point.problem;
  const VisitedSums visited(problem, point.tiling.block_q, point.tiling.block_k);

  Bill bill(problem);
  bill.read(TensorName::Q, {visited.live_rows(), problem.head_dim});
  bill.read(TensorName::K, {visited.key_rows_streamed(), problem.head_dim});
  bill.read(TensorName::V, {visited.key_rows_streamed(), problem.head_dim_v});
  bill.write(TensorName::O, {problem.rows(), problem.head_dim_v});
  bill.write(TensorName::LSE, {problem.rows()});
  bill.multiply_add({visited.scores(), Wide(problem.head_dim) + problem.head_dim_v});
  bill.score_exponentials({visited.scores()});
  bill.rescale_exponentials({visited.query_rows_streamed()});
  bill.tiles({visited.tiles()});
  return bill.work();
}

std::string flash2_expression(const Case& point) {
  const Problem& problem = point.problem;
  if (is_textbook(problem) && problem.mask.kind == MaskKind::none) return over_streams(problem, "2Nd + N + 2 Tr Nd");
  return over_streams(problem, "live d + KS(d + dv) + " + rows_symbol(problem) + "(dv + 1)") +
         ", live = query rows with a visited tile, KS = key rows streamed, summed over the query tiles";
}

std::vector<KernelTiles> flash2_tiles(const Case& point) { return {{"flash2", streaming_tiles(point)}}; }

}  // namespace tilemeter
