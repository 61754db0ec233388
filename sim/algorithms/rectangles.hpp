// Pieces of the algorithms that walk matrices in rectangles.
#pragma once

#include "sim/gpu.hpp"

namespace tilemeter {

/// The rows of one slot and the columns of another.
template <class P>
View<P> rectangle(Tensor<P>& tensor, Count stream, const TileSlot& rows, const TileSlot& cols) {
  return {.tensor = &tensor,
          .stream = static_cast<std::size_t>(stream),
          .row = rows.begin,
          .col = cols.begin,
          .shape = {.rows = rows.size, .cols = cols.size}};
}

/// All tiles of a range but the first.
inline TileRange after_first(TileRange range) {
  range.first = 1;
  return range;
}

/// The first tile of a range.
inline TileRange first_of(TileRange range) {
  range.last = 1;
  return range;
}

/// The accumulator type: fp32, or fp64 for fp64 operands.
inline DType accumulator_of(const Problem& problem) { return problem.dtype == DType::fp64 ? DType::fp64 : DType::fp32; }

}  // namespace tilemeter
