// From what the user asked for to a point that can run: defaults filled in, sizes checked, the budget worked out.
#pragma once

#include <vector>

#include "model/tiling_rule.hpp"
#include "tools/options/request.hpp"

namespace tilemeter {

/// A point whose tile sizes are still to be chosen.
struct ResolvedPoint {
  PointRequest request;  ///< without the options that the algorithm does not take
  const Algorithm* algorithm = nullptr;
  Case largest;             ///< the point; with segments, the longest lengths and batch 1
  std::vector<Case> parts;  ///< what runs: the point itself, or one case a segment that has query rows
  BlockRule rule = BlockRule::standard;
  Budget budget;
  TileGranularity granularity;
};

/// Throws InputError that names the option at fault.
ResolvedPoint resolve(const PointRequest& request);

/// `whole`, or with segments a case for each that has query rows.
std::vector<Case> parts_of(const PointRequest& request, const Case& whole);

/// The limits of the memory on chip. `--sram` alone is one budget for every tile; a device limits shared memory and
/// registers of a block, at most 65536 registers; with both, the size replaces the device's shared memory per block.
Budget budget_of(const PointRequest& request);

/// Algorithms without tiles (standard, standard_unfused) have no capacity and no tile sizes.
bool has_tiles(const Algorithm& algorithm);
/// Recurrent algorithms hold a state and as many rows as --chunk says: they have tiles, but no sizes for a rule to
/// choose.
bool has_tile_sizes(const Algorithm& algorithm);

}  // namespace tilemeter
