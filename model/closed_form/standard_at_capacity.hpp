// Standard attention charged for the same memory on chip as the tiled algorithms.
#pragma once

#include "model/units.hpp"

namespace tilemeter {

/// The bill of one head whose GEMMs work within the capacity.
struct StandardAtCapacity {
  Count panel_rows = 0;  ///< rows of Q, and of O, that a GEMM holds
  Count panels = 0;      ///< passes over K, and over V
  Elements total;
};

/// Standard attention for N queries and keys (seq >= 1) of head dimension d within M elements on chip. The first GEMM
/// holds a panel of bm = floor((M - d) / (d + 1)) rows of Q, one key row and one score per row; the second a panel of
/// O, one row of V and one column of P. With T = ceil(N / bm) panels: 4N^2 + (2T + 2)Nd elements, and N^2 more when a
/// row of S does not fit (N > M) and the softmax takes two passes. N = 4096, d = 64, M = 12500: bm = 191, T = 22,
/// 79167488. Throws InputError below M = 2d + 1, where no row fits, and FigureOverflow.
StandardAtCapacity standard_at_capacity(Count seq, Count head_dim, Elements capacity);

}  // namespace tilemeter
