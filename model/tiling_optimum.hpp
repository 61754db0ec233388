// Tile sizes of least traffic under the true capacity.
#pragma once

#include "model/closed_form/formula.hpp"
#include "model/tile_search.hpp"

namespace tilemeter {

/// The feasible tiling of least traffic, exact over all sizes that are multiples of the step; ties as resolve_tiling
/// says. `point` is the case that `search` was made for.
///
/// Streaming orders: a tile is visited when any pair in it may be visible, so splitting a tile never visits more rows
/// or keys. FA-2 therefore moves least with block_k of one step, FA-1 with block_q of one step, under any mask, and
/// that choice also leaves most room for the size that divides the traffic. Without a mask that size is simply the
/// largest (theory of the optimum: FA-1 Br = 1, Bc = floor((M-2d-2)/(2d+1)); FA-2 Bc = 1, Br = floor((M-2d)/(2d+3)));
/// with one, the sizes are tried downwards until visible pairs / size alone exceeds the best. At most 2^20 sizes are
/// tried, which matters for on-chip memories of about 1000 sqrt(N) rows and more only. GEMM tiles: tile counts per
/// dimension divide the traffic, so only the smallest size of each count is tried.
/// Where the streamed size matters in itself (StreamedTile), all pairs of sizes are tried, within the same number.
Tiling least_traffic_tiling(const TileSearch& search, const Formula& formula, const Case& point);

}  // namespace tilemeter
