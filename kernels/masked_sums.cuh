// Masks on the accumulators of S.
#pragma once

#include <cmath>

#include "kernels/mma.cuh"
#include "kernels/visibility.hpp"

namespace tilemeter::kernels {

/// Sets to -infinity what a row does not see. `sums` are this lane's accumulators of neighbouring tiles of 8 columns,
/// `half` its upper row (0) or its lower (1), `seen` the columns that the row sees, from the first tile's on.
template <int Tiles>
__device__ void hide_unseen(Accumulator (&sums)[Tiles], int half, const Range& seen) {
  const int first = static_cast<int>(seen.first), last = static_cast<int>(seen.last);
#pragma unroll
  for (int n = 0; n < Tiles; ++n) {
#pragma unroll
    for (int side = 0; side < 2; ++side) {
      const int column = n * 8 + threadIdx.x % 4 * 2 + side;
      if (column < first || column >= last) sums[n][half * 2 + side] = -INFINITY;
    }
  }
}

/// The same for the accumulators of a warpgroup, as wgmma leaves them: all columns but those from `first` to before
/// `last`. The caller is `thread` of its warpgroup, or of its block.
template <int Size>
__device__ void hide_unseen(float (&sums)[Size], int half, int thread, int first, int last) {
  const int own = thread % 4 * 2;
#pragma unroll
  for (int n = 0; n < Size / 4; ++n) {
#pragma unroll
    for (int side = 0; side < 2; ++side) {
      const int column = n * 8 + side;
      if (column < first - own || column >= last - own) sums[4 * n + 2 * half + side] = -INFINITY;
    }
  }
}

}  // namespace tilemeter::kernels
