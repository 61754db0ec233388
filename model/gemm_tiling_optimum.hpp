// Tiles of matrix products of least traffic under the true capacity.
#pragma once

#include "model/leaders.hpp"
#include "model/tile_search.hpp"

namespace tilemeter {

/// As least_traffic_tilings, for tiles block_q x block_k x block_d (a block_d of the point is kept). Numbers of tiles
/// divide the traffic, so only the smallest size of each number is tried: among equals the smallest tiles.
RankedTilings least_traffic_gemm_tilings(const TileSearch& search, const Case& point, SearchExtent extent);

/// The same for two products in steps of one, whose block_k cuts the keys and the columns of V: it counts as large as
/// either.
RankedTilings least_traffic_outer_product_tilings(const TileSearch& search, const Case& point, SearchExtent extent);

}  // namespace tilemeter
