// Tile sizes of a single matrix product: the largest square ones that fit, and those of least traffic.
#pragma once

#include "model/closed_form/formula.hpp"
#include "model/tile_search.hpp"

namespace tilemeter {

/// C (m x n) = A (m x k) B (k x n), whatever the computation calls them: a layer's tokens, features out, features in.
struct ProductExtents {
  Count m;
  Count n;
  Count k;
};
ProductExtents product_extents(const Formula& formula, const Case& point);

/// `point` with other sizes of the product's tiles.
Case with_product_tiles(Case point, Count block_m, Count block_n, Count block_k);

/// The largest square block_m = block_n that fits beside block_k of one step, each cut to its extent; then the largest
/// block_k. Throws InputError when not even the smallest tiling fits.
Tiling largest_product_tiling(const TileSearch& search, const Formula& formula, const Case& point);

/// The tiles of least traffic, of all that fit, over the order of the point, or over all orders where a GEMM leaves it
/// open; among equals the fewest tile steps. Exact: traffic depends on the numbers of tiles alone, so of each number
/// along one extent only the smallest size is tried. Throws InputError when not even the smallest tiling fits.
/// 512 x 512 x 64 in 560 elements: 27 x 19 x 1 with C stationary, 1,769,472 elements moved (the square 22 x 22 x 1:
/// 1,835,008).
Tiling least_traffic_product_tiling(const TileSearch& search, const Formula& formula, const Case& point);

/// The order that moves least with the tiles of a GEMM's point, the first among equals; its own where it has one.
GemmOrder least_traffic_order(const Case& point);

}  // namespace tilemeter
