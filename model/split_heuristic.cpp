#include "model/split_heuristic.hpp"

#include <algorithm>
#include <cmath>

#include "model/geometry.hpp"

namespace tilemeter {
namespace {

constexpr Count most_splits = 128;

/// How full the GPU is over all waves of `blocks` times `splits` blocks.
double wave_efficiency(const SplitLoad& load, Count splits) {
  const double waves = static_cast<double>(load.blocks) * static_cast<double>(splits) / static_cast<double>(load.slots);
  return waves / std::ceil(waves);
}

bool shortens_splits(Count key_tiles, Count splits) {
  return splits == 1 || ceil_div(key_tiles, splits) != ceil_div(key_tiles, splits - 1);
}

bool fills_slots(const SplitLoad& load) { return Wide(10) * load.blocks >= Wide(8) * load.slots; }

}  // namespace

Count split_heuristic(const SplitLoad& load) {
  if (fills_slots(load)) return 1;
  const Count most = std::min({most_splits, load.slots, load.key_tiles});
  double best = 0;
  for (Count splits = 1; splits <= most; ++splits) {
    if (shortens_splits(load.key_tiles, splits)) best = std::max(best, wave_efficiency(load, splits));
  }
  for (Count splits = 1; splits <= most; ++splits) {
    if (shortens_splits(load.key_tiles, splits) && wave_efficiency(load, splits) >= 0.85 * best) return splits;
  }
  return 1;
}

Count splits_of(const Case& point) {
  if (point.options.splits) return *point.options.splits;
  const VisitedTiles visited(point.problem, point.tiling);
  const Count blocks =
      named("the number of blocks", [&] { return checked::multiply(point.problem.streams(), visited.query_tiles()); });
  return split_heuristic({.blocks = blocks, .key_tiles = visited.key_tiles(), .slots = point.options.split_slots});
}

Count tiles_per_split(Count key_tiles, Count splits) { return std::max<Count>(1, ceil_div(key_tiles, splits)); }

}  // namespace tilemeter
