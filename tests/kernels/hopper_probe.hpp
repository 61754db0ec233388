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
/// over as its transpose, so that k is contiguous. `n` is one of product_widths or odd_widths.
std::vector<float> product(tilemeter::DType type, int n, bool transposed, const std::vector<float>& a,
                           const std::vector<float>& b);
inline constexpr int product_widths[] = {64, 128, 192, 256};
inline constexpr int odd_widths[] = {80, 160, 224};  ///< with `transposed` alone; 224 of bf16

/// A poisoned copy of `matrices` matrices one below the other, 128 columns wide, after 64 rows from `row` on of one of
/// them have been copied by way of a tile of whole rows.
WordMatrix copied_rows(const WordMatrix& from, int matrices, int row, int matrix);

/// (q k^T) v, of 64 x 64, keys x 64 and keys x columns elements, with q k^T rounded to `type` in registers and the
/// result rounded, too. Sizes are one of chain_sizes.
std::vector<float> chained(tilemeter::DType type, int keys, int columns, const std::vector<float>& q,
                           const std::vector<float>& k, const std::vector<float>& v);
inline constexpr struct {
  int keys, columns;
} chain_sizes[] = {{128, 64}, {128, 128}, {80, 256}, {160, 128}};
