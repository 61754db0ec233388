// The steps that the kernels of linear attention share: chunks of Q, K, V in shared memory, the state K^T V in
// registers, and what becomes of a chunk of O.
#pragma once

#include "kernels/mma.cuh"
#include "kernels/visibility.hpp"

namespace tilemeter::kernels::linear {

/// Sizes of a thread block of eight warps. A chunk of O is four groups of 16 rows by two halves of the columns, a warp
/// each; the state is groups of 16 rows by what columns then make eight parts.
template <class T, int HeadDim>
struct Shape {
  using Element = T;
  static constexpr int head_dim = HeadDim, chunk = 64;
  static constexpr int warp = 32, warps = 8, threads = warps * warp;
  static constexpr int steps = HeadDim / 16;
  static constexpr int half = HeadDim / 2;
  static constexpr int state_groups = HeadDim / 16;
  static constexpr int state_columns = HeadDim * state_groups / warps;
  static_assert(state_columns % 16 == 0);

  using Chunk = SwizzledTile<chunk, HeadDim>;
  using StateTile = SwizzledTile<HeadDim, HeadDim>;
  using OutputTile = SwizzledTile<16, half>;  ///< of a warp
  static constexpr int outputs = warps * OutputTile::size;

  __device__ static int lane() { return threadIdx.x % warp; }
  __device__ static int own_warp() { return threadIdx.x / warp; }
  __device__ static int first_row() { return own_warp() % 4 * 16; }  ///< of this warp's rows of a chunk of O
  __device__ static int own_half() { return own_warp() / 4; }
  __device__ static int state_row() { return own_warp() % state_groups * 16; }
  __device__ static int state_column() { return own_warp() / state_groups * state_columns; }
};

template <class T>
struct Arguments {
  const T* q;
  const T* k;
  const T* v;
  T* o;
  float* kv;  ///< the state, where it goes to memory
  T* s;       ///< the scores, likewise
  Visibility visible;
  Count seq_q;
  Count seq_k;
  Count group;  ///< query heads per K/V head
};

/// The stream of this thread block.
template <class T>
struct StreamOf {
  Count stream;
  const T* q;
  const T* k;
  const T* v;
  T* o;

  __device__ StreamOf(const Arguments<T>& a, int head_dim)
      : stream(blockIdx.x),
        q(a.q + stream * a.seq_q * head_dim),
        k(a.k + stream / a.group * a.seq_k * head_dim),
        v(a.v + stream / a.group * a.seq_k * head_dim),
        o(a.o + stream * a.seq_q * head_dim) {}
};

template <class S>
using State = Accumulator[S::state_columns / 8];
template <class S>
using Output = Accumulator[S::half / 8];

/// Loads chunk `index` of a matrix of `rows` rows.
template <class S, class Counters>
__device__ void load_sequence_chunk(unsigned to, const typename S::Element* matrix, Count rows, Count index,
                                    TensorName tensor, Counters& counters) {
  const Count first = index * S::chunk;
  copy_rows<S::threads>(typename S::Chunk{to}, matrix + first * S::head_dim, Count{S::head_dim}, rows - first, tensor,
                        counters);
}

/// Goes through `count` pieces of which the next Stages - 1 are on their way: `load(piece, slot)` starts copies,
/// `body(piece, slot)` uses them. The slots may be used for other things afterwards.
template <int Stages, class Load, class Body>
__device__ void stream_through(Count count, Load load, Body body) {
#pragma unroll 1
  for (int ahead = 0; ahead < Stages - 1; ++ahead) {
    if (ahead < count) load(Count{ahead}, ahead);
    commit_copies();
  }
  int slot = 0;
#pragma unroll 1
  for (Count piece = 0; piece < count; ++piece) {
    wait_for_copies<Stages - 2>();
    __syncthreads();
    const Count next = piece + Stages - 1;
    if (next < count) load(next, slot == 0 ? Stages - 1 : slot - 1);
    commit_copies();
    body(piece, slot);
    slot = slot == Stages - 1 ? 0 : slot + 1;
  }
  __syncthreads();
}

/// state = state + K^T V for a chunk of keys.
template <class S>
__device__ void accumulate_state(State<S>& state, const typename S::Chunk& k, const typename S::Chunk& v) {
  const unsigned k_start = S::Chunk::moved(k.lane_of_columns(), 0, S::state_row() / chunk_elements);
  const unsigned v_start = S::Chunk::moved(v.lane_of_rows(), 0, S::state_column() / chunk_elements);
#pragma unroll
  for (int key = 0; key < S::chunk; key += 16) {
    Fragment a;
    load_matrices_transposed(a, S::Chunk::moved(k_start, key, 0));
#pragma unroll
    for (int column = 0; column < S::state_columns; column += 16) {
      Fragment b;
      load_matrices_transposed(b, S::Chunk::moved(v_start, key, column / chunk_elements));
      multiply_add<typename S::Element>(state[column / 8], a, b[0], b[1]);
      multiply_add<typename S::Element>(state[column / 8 + 1], a, b[2], b[3]);
    }
  }
}

/// The sums of a warp, rounded, as 16 rows of a tile from (row, column) on.
template <class T, class Tile, int Sums>
__device__ void put_sums(const Tile& tile, int row, int column, const Accumulator (&sums)[Sums]) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int i = 0; i < Sums; ++i) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const unsigned at = tile.at(row + lane / 4 + 8 * half, column / chunk_elements + i) + lane % 4 * 4;
      store_pair(at, packed<T>(sums[i][2 * half], sums[i][2 * half + 1]));
    }
  }
}

/// O = Q state for a chunk of queries.
template <class S>
__device__ void apply(Output<S>& o, const typename S::Chunk& q, const typename S::StateTile& state) {
  const unsigned q_start = S::Chunk::moved(q.lane_of_rows(), S::first_row(), 0);
  const unsigned state_start = S::StateTile::moved(state.lane_of_rows(), 0, S::own_half() * S::half / chunk_elements);
#pragma unroll
  for (int step = 0; step < S::steps; ++step) {
    Fragment a;
    load_matrices(a, S::Chunk::moved(q_start, 0, 2 * step));
#pragma unroll
    for (int column = 0; column < S::half; column += 16) {
      Fragment b;
      load_matrices_transposed(b, S::StateTile::moved(state_start, 16 * step, column / chunk_elements));
      multiply_add<typename S::Element>(o[column / 8], a, b[0], b[1]);
      multiply_add<typename S::Element>(o[column / 8 + 1], a, b[2], b[3]);
    }
  }
}

/// Rows of O to memory, by way of shared memory at `outputs`, so that they go in chunks of 16 bytes.
template <class S, class Counters>
__device__ void store_output(const Output<S>& o, unsigned outputs, typename S::Element* matrix, Count rows, Count index,
                             Counters& counters) {
  using T = typename S::Element;
  const typename S::OutputTile tile{outputs + S::own_warp() * S::OutputTile::size};
  put_sums<T>(tile, 0, 0, o);
  __syncwarp();
  constexpr int row_chunks = S::half / chunk_elements;
#pragma unroll
  for (int i = S::lane(); i < 16 * row_chunks; i += S::warp) {
    const Count row = index * S::chunk + S::first_row() + i / row_chunks;
    const uint4 chunk = load_chunk(tile.at(i / row_chunks, i % row_chunks));
    if (row < rows) {
      auto* to = matrix + row * S::head_dim + S::own_half() * S::half;
      __stcs(reinterpret_cast<uint4*>(to) + i % row_chunks, chunk);
      counters.write(TensorName::O, chunk_elements);
    }
  }
  __syncwarp();
}

}  // namespace tilemeter::kernels::linear
