// Pieces of the algorithms that stream rows or vectors.
#pragma once

#include "model/closed_form/formula.hpp"
#include "model/tile_search.hpp"

namespace tilemeter {

/// Elements that one piece can hold at most: the columns of a softmax, the length of a chain.
Count piece_extent(const Formula& formula, const Case& point);

/// The point's tiling with the largest block_k that fits; traffic does not depend on it. Throws InputError when not
/// even one step fits, as for a resident row that is too long.
Tiling largest_piece(const TileSearch& search, const Formula& formula, const Case& point);

}  // namespace tilemeter
