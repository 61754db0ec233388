// Sums of rounded-down lines, the arithmetic under every count of tiles along a diagonal.
#pragma once

#include <utility>

#include "model/wide.hpp"

namespace tilemeter {

/// Sum of floor((slope i + offset) / divisor) for i = 0 ... count - 1, in O(log) steps; divisor > 0, count >= 0, any
/// sign of slope and offset. floor_sum(4, 3, 2, 1) = 0 + 1 + 1 + 2 = 4. Each step takes out the integer parts of slope
/// and offset, then counts the lattice points left under the line by rows instead of by columns, as Euclid's algorithm
/// swaps its numbers. Throws UnnamedOverflow past 128 bits.
inline Wide floor_sum(Wide count, Wide divisor, Wide slope, Wide offset) {
  Wide sum = 0;
  while (count > Wide(0)) {
    const Wide pairs = floor_div(count * (count - 1), 2);
    sum += pairs * floor_div(slope, divisor) + count * floor_div(offset, divisor);
    const Wide end = floor_mod(slope, divisor) * count + floor_mod(offset, divisor);
    count = floor_div(end, divisor);
    slope = std::exchange(divisor, floor_mod(slope, divisor));
    offset = count > Wide(0) ? floor_mod(end, slope) : Wide(0);
  }
  return sum;
}

}  // namespace tilemeter
