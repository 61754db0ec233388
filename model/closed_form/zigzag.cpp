#include "model/closed_form/zigzag.hpp"

#include "model/closed_form/bill.hpp"
#include "model/closed_form/expression.hpp"
#include "model/closed_form/flash2.hpp"
#include "model/closed_form/tiles.hpp"
#include "model/closed_form/visited.hpp"

namespace tilemeter {

Work zigzag_bill(const Case& point) {
  const Problem& problem = point.problem;
  const VisitedSums visited(problem, point.tiling.block_q, point.tiling.block_k);
  const Wide keys = visited.key_rows_streamed() - visited.key_rows_kept();

  Bill bill(problem);
  bill.read(TensorName::K, {keys, problem.head_dim});
  bill.read(TensorName::V, {keys, problem.head_dim_v});
  Work work = flash2_bill(point);
  for (const TensorName tensor : {TensorName::K, TensorName::V}) work[tensor] = bill.work()[tensor];
  return work;
}

std::string zigzag_expression(const Case& point) {
  const Problem& problem = point.problem;
  const bool divides = problem.seq_k > 0 && problem.seq_k % clipped(point).keys == 0;
  if (is_textbook(problem) && problem.mask.kind == MaskKind::none && divides) {
    return over_streams(problem, "2Nd + N + 2 Tr Nd - 2 Bc d (Tr - 1)");
  }
  return over_streams(problem, "live d + (KS - KK)(d + dv) + " + rows_symbol(problem) + "(dv + 1)") +
         ", live = query rows with a visited tile, KS = key rows streamed, summed over the query tiles, KK = those of "
         "tiles that stay from one query tile to the next";
}

std::vector<KernelTiles> zigzag_tiles(const Case& point) { return {{"zigzag", streaming_tiles(point)}}; }

}  // namespace tilemeter
