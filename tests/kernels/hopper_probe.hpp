// Small kernels around one wrapper of kernels/hopper.cuh or kernels/wgmma.cuh each, for tests.
#pragma once

#include <cstdint>
#include <vector>

#include "model/dtype.hpp"

/// A row-major matrix of 16-bit words.
struct WordMatrix {
  int rows = 0;
  int cols = 0;
  std::vector<std::uint16_t> words;
};

/// What a tensor copy of 64 rows x 64 columns from (row, col) on leaves in shared memory, in the order of addresses.
std::vector<std::uint16_t> loaded_tile(const WordMatrix& matrix, int row, int col);

/// A poisoned matrix after a warpgroup has stored 64 x 64 accumulators, of which (i, j) is 64 i + j - 2048, as fp16
/// from (row, col) on.
WordMatrix stored_tile(int rows, int cols, int row, int col);

/// a b, of 64 x 64 and 64 x n elements, by wgmma; both row-major, rounded to `type`. With `transposed`, b is handed
/// over as its transpose, so that k is contiguous. `n` is one of product_widths.
std::vector<float> product(tilemeter::DType type, int n, bool transposed, const std::vector<float>& a,
                           const std::vector<float>& b);
inline constexpr int product_widths[] = {64, 128, 192, 256};
