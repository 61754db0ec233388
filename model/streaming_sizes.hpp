// The two tile sizes of a streaming loop: the one that divides the traffic, and its companion.
#pragma once

#include "model/closed_form/formula.hpp"
#include "model/tile_search.hpp"

namespace tilemeter {

/// Keys for K/V outer, query rows otherwise; the companion is the other one. Refers to `search`.
class StreamingSizes {
 public:
  StreamingSizes(const TileSearch& search, LoopOrder order)
      : search_(search), kv_outer_(order == LoopOrder::kv_outer) {}

  Count step() const { return search_.step(); }
  Count size_limit() const { return kv_outer_ ? search_.key_limit() : search_.row_limit(); }
  Count companion_limit() const { return kv_outer_ ? search_.row_limit() : search_.key_limit(); }
  TileCounts size_counts() const { return kv_outer_ ? search_.key_counts() : search_.row_counts(); }
  TileCounts companion_counts() const { return kv_outer_ ? search_.row_counts() : search_.key_counts(); }

  Case with(Count size, Count companion) const {
    return kv_outer_ ? search_.with(companion, size) : search_.with(size, companion);
  }
  Count size_of(const Tiling& tiling) const { return kv_outer_ ? tiling.block_k : tiling.block_q; }

  /// The largest size that fits with the smallest companion, and the largest companion that fits with a size.
  Count largest_size() const {
    return largest_multiple(step(), size_limit(), [&](Count size) { return search_.fits(with(size, step())); });
  }
  Count largest_companion(Count size) const {
    return largest_multiple(step(), companion_limit(),
                            [&](Count companion) { return search_.fits(with(size, companion)); });
  }

  /// Whether the bill without a mask is the same for every companion: told at the smallest sizes and the largest, for
  /// at most 4096 rows and keys.
  bool companion_is_free() const;

 private:
  Count traffic_of_sample(Count size, Count companion) const;

  const TileSearch& search_;
  bool kv_outer_;
};

}  // namespace tilemeter
