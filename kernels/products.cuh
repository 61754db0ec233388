// Products of a warp by mma.sync whose operands come from shared memory step by step.
#pragma once

#include "kernels/mma.cuh"

namespace tilemeter::kernels {

/// Sums of a warp: `Rows` tiles of 16 rows by `Pairs` pairs of tiles of 8 columns.
template <int Rows, int Pairs>
using WarpSums = Accumulator[Rows][2 * Pairs];

template <int Rows, int Tiles>
__device__ void clear(Accumulator (&sums)[Rows][Tiles]) {
#pragma unroll
  for (auto& row : sums) {
#pragma unroll
    for (auto& tile : row) tile[0] = tile[1] = tile[2] = tile[3] = 0;
  }
}

/// Nothing to do between the products of add_product.
struct Nothing {
  __device__ void operator()(int) const {}
};

/// sums += A B in `Steps` steps of 16 terms. `load_a(to, row, step)` fetches the A operand of a tile of 16 rows,
/// `load_b(to, pair, step)` the B operands of a pair of tiles; A's are on their way a step ahead, B's a product ahead.
/// `between(i)` is called before each of the Steps x pairs products of a pair, for what else there is to do.
template <class T, int Steps, int Rows, int Tiles, class LoadA, class LoadB, class Between = Nothing>
__device__ void add_product(Accumulator (&sums)[Rows][Tiles], LoadA load_a, LoadB load_b, Between between = {}) {
  constexpr int pairs = Tiles / 2;
  Fragment a[2][Rows], b[2];
#pragma unroll
  for (int row = 0; row < Rows; ++row) load_a(a[0][row], row, 0);
  load_b(b[0], 0, 0);
#pragma unroll
  for (int step = 0; step < Steps; ++step) {
    if (step + 1 < Steps) {
#pragma unroll
      for (int row = 0; row < Rows; ++row) load_a(a[(step + 1) % 2][row], row, step + 1);
    }
#pragma unroll
    for (int pair = 0; pair < pairs; ++pair) {
      const int now = step * pairs + pair, next = now + 1;
      if (next < Steps * pairs) load_b(b[next % 2], next % pairs, next / pairs);
      between(now);
#pragma unroll
      for (int row = 0; row < Rows; ++row) {
        multiply_add<T>(sums[row][2 * pair], a[step % 2][row], b[now % 2][0], b[now % 2][1]);
        multiply_add<T>(sums[row][2 * pair + 1], a[step % 2][row], b[now % 2][2], b[now % 2][3]);
      }
    }
  }
}

/// How a warp reads an operand whose tile lies in shared memory: `start` is what its lane hands to the instructions for
/// the operand's first 16 rows or columns and first 16 terms.
template <class Tile>
struct OperandLanes {
  unsigned start;

  /// Rows of the product are rows of the tile from `row` on; terms run along them.
  __device__ static OperandLanes rows(const Tile& tile, int row) { return {tile.lane_of_rows() + row * Tile::pitch}; }
  /// Columns of the product are rows of the tile from `row` on; terms run along them.
  __device__ static OperandLanes row_columns(const Tile& tile, int row) {
    return {tile.lane_of_columns() + row * Tile::pitch};
  }
  /// Rows of the product are columns of the tile from `column` (a multiple of 32) on; terms run down them.
  __device__ static OperandLanes columns(const Tile& tile, int column) {
    return {Tile::moved(tile.lane_of_columns(), 0, column / chunk_elements)};
  }
  /// Columns of the product are columns of the tile from `column` (a multiple of 32) on; terms run down them.
  __device__ static OperandLanes down(const Tile& tile, int column) {
    return {Tile::moved(tile.lane_of_rows(), 0, column / chunk_elements)};
  }

  /// The i-th 16 rows or columns of the product, at a step of 16 terms; terms along the tile's rows.
  __device__ void along(Fragment& to, int i, int step) const {
    load_matrices(to, Tile::moved(start, i * 16, step * 2));
  }
  /// The same with terms down the tile's columns.
  __device__ void across(Fragment& to, int i, int step) const {
    load_matrices_transposed(to, Tile::moved(start, step * 16, i * 2));
  }
};

}  // namespace tilemeter::kernels
