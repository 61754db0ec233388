#include "model/closed_form/tiles.hpp"

#include <algorithm>

namespace tilemeter {

ClippedSizes clipped(const Case& point) {
  return {.rows = std::min(point.tiling.block_q, point.problem.rows()),
          .keys = std::min(point.tiling.block_k, point.problem.seq_k)};
}

OnChipTile operand_tile(std::string name, Count rows, Count cols, const Case& point, Count copies) {
  return {.name = std::move(name),
          .space = Space::shared,
          .rows = rows,
          .cols = cols,
          .copies = copies,
          .dtype = point.problem.dtype};
}

OnChipTile accumulator_tile(std::string name, Count rows, Count cols, const Case& point) {
  return {.name = std::move(name),
          .space = Space::registers,
          .rows = rows,
          .cols = cols,
          .copies = 1,
          .dtype = accumulator_type(point.problem.dtype)};
}

std::vector<OnChipTile> streaming_tiles(const Case& point) {
  const auto [rows, keys] = clipped(point);
  const Count d = point.problem.head_dim;
  const Count d_v = point.problem.head_dim_v;
  const Count stages = point.tiling.stages;
  return {operand_tile("Q", rows, d, point),           operand_tile("K", keys, d, point, stages),
          operand_tile("V", keys, d_v, point, stages), accumulator_tile("O", rows, d_v, point),
          accumulator_tile("S", rows, keys, point),    accumulator_tile("l", rows, 1, point),
          accumulator_tile("m", rows, 1, point)};
}

}  // namespace tilemeter
