#include "model/closed_form/flash3.hpp"

#include <algorithm>

#include "model/closed_form/tiles.hpp"

namespace tilemeter {
namespace {

constexpr Count instruction_rows = 64;  // of a warpgroup's matrix instruction

void add_group(std::vector<OnChipTile>& tiles, const std::string& group, Count rows, Count keys, const Case& point) {
  if (rows == 0) return;
  const Count d_v = point.problem.head_dim_v;
  tiles.push_back(operand_tile("Q" + group, rows, point.problem.head_dim, point));
  tiles.push_back(accumulator_tile("O" + group, rows, d_v, point));
  tiles.push_back(accumulator_tile("S" + group, rows, keys, point));
  tiles.push_back(accumulator_tile("P" + group, rows, keys, point));
  tiles.push_back(accumulator_tile("l" + group, rows, 1, point));
  tiles.push_back(accumulator_tile("m" + group, rows, 1, point));
}

}  // namespace

GroupRows group_rows(Count rows) {
  const Count instructions = ceil_div(ceil_div(rows, 2), instruction_rows);
  const Count first = instructions > rows / instruction_rows ? rows : instructions * instruction_rows;
  return {.first = first, .second = rows - first};
}

std::vector<KernelTiles> flash3_tiles(const Case& point) {
  const auto [rows, keys] = clipped(point);
  const Count stages = point.tiling.stages;
  std::vector<OnChipTile> tiles = {operand_tile("K", keys, point.problem.head_dim, point, stages),
                                   operand_tile("V", keys, point.problem.head_dim_v, point, stages)};
  const GroupRows groups = group_rows(rows);
  add_group(tiles, "0", groups.first, keys, point);
  add_group(tiles, "1", groups.second, keys, point);
  return {{"flash3", std::move(tiles)}};
}

}  // namespace tilemeter
