// What a thread block of flash2 works on: its sizes, arguments, rows, and tiles in shared memory.
#pragma once

#include <cmath>

#include "kernels/flash2.hpp"
#include "kernels/masked_sums.cuh"
#include "kernels/phase_barrier.cuh"
#include "kernels/visibility.hpp"

namespace tilemeter::kernels {

/// Sizes of a block. Each warp owns 16 x row_tiles rows of Q, S and O, and all columns of them.
template <class Element, int BlockQ, int BlockK, int HeadDim, int Warps, Flash2Choices Choices>
struct Flash2Shape {
  using T = Element;
  static constexpr Flash2Choices choices = Choices;
  static constexpr int block_q = BlockQ, block_k = BlockK, head_dim = HeadDim, stages = flash2_stages;
  static constexpr int threads = Warps * 32;
  static constexpr int warp_rows = block_q / Warps;
  static constexpr int row_tiles = warp_rows / 16;
  static constexpr int q_steps = head_dim / 16;  ///< of the sum in Q K^T
  static constexpr int k_pairs = block_k / 16;   ///< pairs of 8 columns of S; steps of the sum in P V
  static constexpr int o_pairs = head_dim / 16;  ///< pairs of 8 columns of O
  static_assert(warp_rows % 16 == 0 && block_k % 16 == 0 && stages == 2);

  using QTile = SwizzledTile<block_q, head_dim>;
  using KeyTile = SwizzledTile<block_k, head_dim>;
  static constexpr int tiles = QTile::size + 2 * stages * KeyTile::size;
  static constexpr int shared = tiles + 2 * stages * PhaseBarrier::size;

  /// The warp's first row of the block.
  __device__ static int warp_row() { return threadIdx.x / 32 * warp_rows; }
  /// Row of the block that this lane's accumulators of row tile i belong to; half 1 is their second row.
  __device__ static int row(int i, int half) { return warp_row() + i * 16 + threadIdx.x % 32 / 4 + half * 8; }
  /// Column of their first element within 8 columns.
  __device__ static int column() { return threadIdx.x % 4 * 2; }
};

template <class T>
struct Flash2Arguments {
  const T* q;
  const T* k;
  const T* v;
  T* o;
  float* lse;
  Visibility visible;
  Count seq_q;
  Count seq_k;
  unsigned row_blocks;  ///< of one stream
  unsigned streams;
  unsigned group;      ///< query heads per K/V head
  bool longest_first;  ///< the last row blocks of all streams first, then those before them
  float scale_log2;    ///< scale times log2(e)
  float empty_lse;
};

namespace flash2_steps {

/// The row block of this thread block. Without a mask, neighbours share K and V in the L2. Under a causal mask, the
/// blocks with the most tiles start first, so that short ones fill the end.
struct Place {
  Count stream;
  Count kv_stream;
  Count row_begin;

  template <class T>
  __device__ Place(const Flash2Arguments<T>& a, int block_q) {
    const unsigned own = a.longest_first ? blockIdx.x % a.streams : blockIdx.x / a.row_blocks;
    const unsigned block = a.longest_first ? a.row_blocks - 1 - blockIdx.x / a.streams : blockIdx.x % a.row_blocks;
    stream = own;
    kv_stream = own / a.group;
    row_begin = Count{block} * block_q;
  }
};

/// The block's shared memory: Q, the stages of K, those of V, and for each stage two barriers.
template <class S>
struct Tiles {
  unsigned base;

  __device__ typename S::QTile q() const { return {base}; }
  __device__ typename S::KeyTile k(int stage) const { return {base + S::QTile::size + stage * S::KeyTile::size}; }
  __device__ typename S::KeyTile v(int stage) const { return k(S::stages + stage); }
  /// Its phase ends when K and V of the stage are there.
  __device__ PhaseBarrier full(int stage) const { return PhaseBarrier(base + S::tiles + stage * PhaseBarrier::size); }
  /// Its phase ends when all warps are done with them.
  __device__ PhaseBarrier used(int stage) const { return full(S::stages + stage); }
};

/// What a thread keeps of its rows from tile to tile: O, the reference m of the exponents, and in l the share of its
/// own columns.
template <class S>
struct State {
  Accumulator o[S::row_tiles][S::o_pairs * 2] = {};
  float m[S::row_tiles][2];
  float l[S::row_tiles][2] = {};

  __device__ State() {
    for (auto& rows : m) rows[0] = rows[1] = -INFINITY;
  }
};

template <class S, class Counters>
__device__ void load_q(const typename S::QTile& tile, const Flash2Arguments<typename S::T>& a, const Place& place,
                       Counters& counters) {
  const auto* from = a.q + (place.stream * a.seq_q + place.row_begin) * S::head_dim;
  copy_rows<S::threads>(tile, from, S::head_dim, a.seq_q - place.row_begin, TensorName::Q, counters);
}

/// Rounded O goes by way of the warp's own rows of the Q tile, so that device memory sees 16-byte stores.
template <class S, class Counters>
__device__ void store_o(const State<S>& state, const typename S::QTile& tile, const Flash2Arguments<typename S::T>& a,
                        const Place& place, Counters& counters) {
  using T = typename S::T;
  using Tile = typename S::QTile;
  __syncwarp();
#pragma unroll
  for (int i = 0; i < S::row_tiles; ++i) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
#pragma unroll
      for (int n = 0; n < S::o_pairs * 2; ++n) {
        const unsigned pair = packed<T>(state.o[i][n][half * 2], state.o[i][n][half * 2 + 1]);
        store_pair(tile.at(S::row(i, half), n) + S::column() * 2, pair);
      }
    }
  }
  __syncwarp();
  const int lane = threadIdx.x % 32;
  for (int down = lane / Tile::span_chunks; down < S::warp_rows; down += 32 / Tile::span_chunks) {
    const int row = S::warp_row() + down;
    if (place.row_begin + row >= a.seq_q) break;
    T* to = a.o + (place.stream * a.seq_q + place.row_begin + row) * S::head_dim;
#pragma unroll
    for (int chunk = lane % Tile::span_chunks; chunk < S::head_dim / chunk_elements; chunk += Tile::span_chunks) {
      write_chunk(to + chunk * chunk_elements, load_chunk(tile.at(row, chunk)));
      counters.write(TensorName::O, chunk_elements);
    }
  }
}

template <class S, class Counters>
__device__ void store_lse(const State<S>& state, const Flash2Arguments<typename S::T>& a, const Place& place,
                          Counters& counters) {
  if (threadIdx.x % 4 != 0) return;
#pragma unroll
  for (int i = 0; i < S::row_tiles; ++i) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const Count row = place.row_begin + S::row(i, half);
      if (row >= a.seq_q) continue;
      a.lse[place.stream * a.seq_q + row] = state.m[i][half];
      counters.write(TensorName::LSE, 1);
    }
  }
}

}  // namespace flash2_steps
}  // namespace tilemeter::kernels
