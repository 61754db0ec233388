// Pieces of the closed forms of what a block keeps on chip.
#pragma once

#include <string>

#include "model/closed_form/formula.hpp"
#include "model/footprint.hpp"

namespace tilemeter {

/// Tile sizes after clipping to the problem.
struct ClippedSizes {
  Count rows;
  Count keys;
};
ClippedSizes clipped(const Case& point);

/// A tile, or a ring of `copies`, of operands: in shared memory, at the operand type.
OnChipTile operand_tile(std::string name, Count rows, Count cols, const Case& point, Count copies = 1);

/// A tile of accumulators or statistics: in registers, at fp32 (fp64 for fp64 operands).
OnChipTile accumulator_tile(std::string name, Count rows, Count cols, const Case& point);

/// Q, K, V, O, S, l, m of a block that streams K and V past Q (or Q past K and V).
std::vector<OnChipTile> streaming_tiles(const Case& point);

}  // namespace tilemeter
