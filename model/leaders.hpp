// The tilings of least traffic among those that a search tries.
#pragma once

#include <cstddef>

#include "model/tile_search.hpp"
#include "model/wide.hpp"

namespace tilemeter {

/// How many tilings a search keeps, and how many it may bill.
struct SearchExtent {
  std::size_t keep = 1;
  Count most_tried = Count{1} << 20;
};

/// Keeps the first tiling of each of the least amounts of traffic among those offered.
class Leaders {
 public:
  Leaders(const TileSearch& search, SearchExtent extent) : search_(search), extent_(extent) {}

  void offer(const Case& candidate);
  /// Whether a tiling that moves at least `bound` cannot lead.
  bool beat(Wide bound) const { return full() && bound >= Wide(found_.best.back().traffic); }
  /// Whether the search should end; then the result is not exhaustive.
  bool exhausted();

  /// Every leader's tiling becomes what `other(leader)` says, which moves as much.
  template <class Other>
  void replace(Other other) {
    for (RankedTiling& leader : found_.best) leader.tiling = other(leader);
  }

  const RankedTilings& found() const { return found_; }

 private:
  bool full() const { return found_.best.size() == extent_.keep; }

  const TileSearch& search_;
  SearchExtent extent_;
  RankedTilings found_;
};

}  // namespace tilemeter
