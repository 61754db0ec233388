// What no tiling of a point can undercut, from what the bill says of it without a mask.
#pragma once

#include "model/tile_search.hpp"
#include "model/wide.hpp"

namespace tilemeter {

/// A lower bound of the traffic of tilings, in the unit of the search.
///
/// A bill grows with the (row, key tile) pairs and the (key, query tile) pairs that meet, and each visible (row, key)
/// pair lies in one of both: pairs / Bc and pairs / Br are their least numbers. What such a meeting costs is read off
/// the bill itself, for one and two unmasked rows (keys) against 1, 2, 4 ... tiles: the least growth per tile. A first
/// visit that is cheaper than the others is granted to every row and key.
class TrafficBound {
 public:
  TrafficBound(const TileSearch& search, const Case& point);

  /// No tiling of at most `block_q` rows and `block_k` keys moves less.
  Wide of_tiles_up_to(Count block_q, Count block_k) const;

 private:
  Wide pairs_;         ///< visible ones, over all streams
  Wide per_row_;       ///< and key tile
  Wide per_key_;       ///< and query tile
  Wide first_visits_;  ///< what they are cheaper by, over all rows and keys
};

}  // namespace tilemeter
