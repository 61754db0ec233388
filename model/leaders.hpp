// The tilings of least traffic among those that a search tries.
#pragma once

#include <cstddef>

#include "model/tile_search.hpp"
#include "model/wide.hpp"

namespace tilemeter {

/// Keeps the first tiling of each of the `keep` least amounts of traffic.
class Leaders {
 public:
  Leaders(const TileSearch& search, std::size_t keep) : search_(search), keep_(keep) {}

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
  bool full() const { return found_.best.size() == keep_; }

  const TileSearch& search_;
  std::size_t keep_;
  RankedTilings found_;
};

}  // namespace tilemeter
