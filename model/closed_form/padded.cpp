#include "model/closed_form/padded.hpp"

#include "model/closed_form/bill.hpp"
#include "model/closed_form/flash2.hpp"
#include "model/closed_form/visited.hpp"

namespace tilemeter {

Work padded_flash2_bill(const Case& point) {
  const Problem& problem = point.problem;
  const VisitedSums visited(problem, point.tiling.block_q, point.tiling.block_k);
  const Wide query_rows = ceil_div(visited.live_rows(), Wide(point.tiling.block_q)) * Wide(point.tiling.block_q);
  const Wide key_rows = visited.tiles() * Wide(point.tiling.block_k);

  Bill loads(problem);
  loads.read(TensorName::Q, {query_rows, problem.head_dim});
  loads.read(TensorName::K, {key_rows, problem.head_dim});
  loads.read(TensorName::V, {key_rows, problem.head_dim_v});
  Work work = flash2_bill(point);
  for (const TensorName tensor : {TensorName::Q, TensorName::K, TensorName::V}) work[tensor] = loads.work()[tensor];
  return work;
}

}  // namespace tilemeter
