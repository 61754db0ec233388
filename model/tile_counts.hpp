// Sizes of tiles along one extent, by how many tiles they need.
#pragma once

#include <algorithm>

#include "model/units.hpp"

namespace tilemeter {

/// Sizes that are multiples of `step`, of tiles that cover `extent` rows. Of 100 rows in steps of 1: 34 to 49 need 3
/// tiles, 50 to 99 need 2. There are about 2 sqrt(extent) different numbers.
class TileCounts {
 public:
  TileCounts(Count extent, Count step) : extent_(std::max(Count{1}, extent)), step_(step) {}

  Count tiles(Count size) const { return ceil_div(extent_, size); }
  /// The smallest size that needs as many tiles as `size`, or as few as multiples of the step allow.
  Count smallest_like(Count size) const { return ceil_div(ceil_div(extent_, tiles(size)), step_) * step_; }
  /// The largest size that needs more tiles than `size`; zero when one step does not.
  Count largest_below(Count size) const { return smallest_like(size) - step_; }
  /// The smallest size of the next larger number of tiles; zero after one step.
  Count next_smallest(Count size) const {
    const Count below = largest_below(size);
    return below == 0 ? 0 : smallest_like(below);
  }

 private:
  Count extent_;
  Count step_;
};

}  // namespace tilemeter
