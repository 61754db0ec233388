// Tile sizes of least traffic under the true capacity.
#pragma once

#include "model/closed_form/formula.hpp"
#include "model/leaders.hpp"
#include "model/tile_search.hpp"

namespace tilemeter {

/// The feasible tilings of the least traffic, the first exact over all sizes that are multiples of the step; the
/// further ones are the least of other sizes, each of another amount of traffic. Ties as resolve_tiling says. `point`
/// is the case that `search` was made for. Throws InputError when not even the smallest tiling fits.
///
/// Of a streaming order one size divides the traffic (block_k for K/V outer, block_q otherwise), the other is its
/// companion. Where the unmasked bill does not depend on the companion, its smallest size is best under any mask too:
/// a tile is visited when any pair in it may be visible, so splitting it never visits more rows or keys, and it leaves
/// most room. Otherwise all pairs of sizes are tried, except those that TrafficBound rules out. Without a mask, bills
/// change with the numbers of tiles, and within one number by equal steps: the ends of each range of equal numbers
/// stand for it. When `extent` ends the search, the result is marked as not exhaustive.
RankedTilings least_traffic_tilings(const TileSearch& search, LoopOrder order, const Case& point, SearchExtent extent);

}  // namespace tilemeter
