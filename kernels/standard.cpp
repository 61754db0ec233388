#include "kernels/standard.hpp"

#include <algorithm>

#include "kernels/catalog.hpp"
#include "kernels/standard_hopper.hpp"

namespace tilemeter::kernels {
namespace {

Count blocks_over(const Case& point, Count columns, Count block_columns) {
  return named("the grid", [&] { return checked::multiply(grid_blocks(point), ceil_div(columns, block_columns)); });
}

}  // namespace

std::optional<std::string> refusal_of_standard(const Case& point) {
  const Problem& problem = point.problem;
  if (problem.score_dtype != problem.dtype) {
    return "--score-dtype " + std::string(name_of(problem.score_dtype)) + " with --dtype " +
           std::string(name_of(problem.dtype)) + ": S and P are of the operands' type";
  }
  if (point.options.row_softmax == RowSoftmax::resident && problem.seq_k > standard_resident_keys) {
    return "--seq-k " + std::to_string(problem.seq_k) + ": a row of at most " + std::to_string(standard_resident_keys) +
           " keys stays on chip; an online row softmax takes longer ones";
  }
  return grid_too_large(std::max({standard_score_blocks(point), standard_rows(point), standard_output_blocks(point)}));
}

std::optional<std::string> refusal_of_standard_hopper(const Case& point) {
  const Count keys = point.problem.seq_k;
  constexpr Count whole_chunks = 8;
  if (keys == 0 || keys % whole_chunks != 0) {
    return "--seq-k " + std::to_string(keys) + ": accepted are multiples of " + std::to_string(whole_chunks) +
           "; the kernel standard takes any";
  }
  return refusal_of_standard(point);
}

Count standard_score_blocks(const Case& point) { return blocks_over(point, point.problem.seq_k, point.tiling.block_k); }

Count standard_rows(const Case& point) {
  return named("the grid", [&] { return checked::multiply(point.problem.streams(), point.problem.rows()); });
}

Count standard_output_blocks(const Case& point) {
  const Count block_d = point.tiling.block_d == 0 ? point.problem.head_dim_v : point.tiling.block_d;
  return blocks_over(point, point.problem.head_dim_v, block_d);
}

}  // namespace tilemeter::kernels
