// FlashAttention-2 forward on the tensor cores, as device code; `flash2.cu` launches it.
#pragma once

#include <cmath>

#include "kernels/mma.cuh"
#include "kernels/visibility.hpp"

namespace tilemeter::kernels {

/// Sizes of a block. Each warp owns row_tiles x 16 rows of Q, S and O, and all columns of them.
template <class Element, int BlockQ, int BlockK, int HeadDim, int Warps, int Stages, bool QInRegisters, int Resident>
struct Flash2Shape {
  using T = Element;
  static constexpr int block_q = BlockQ, block_k = BlockK, head_dim = HeadDim, stages = Stages;
  static constexpr int threads = Warps * 32;
  static constexpr int resident = Resident;  ///< blocks that must fit on an SM: bounds the registers
  static constexpr bool q_in_registers = QInRegisters;
  static constexpr int warp_rows = block_q / Warps;
  static constexpr int row_tiles = warp_rows / 16;
  static constexpr int q_steps = head_dim / 16;  ///< of the sum in Q K^T
  static constexpr int k_pairs = block_k / 16;   ///< pairs of 8 columns of S; steps of the sum in P V
  static constexpr int o_pairs = head_dim / 16;  ///< pairs of 8 columns of O
  static_assert(warp_rows % 16 == 0 && block_k % 16 == 0 && head_dim % 32 == 0);

  using QTile = SwizzledTile<block_q, head_dim>;
  using KeyTile = SwizzledTile<block_k, head_dim>;
  static constexpr int shared = QTile::size + 2 * stages * KeyTile::size;

  __device__ static int warp_row() { return threadIdx.x / 32 * warp_rows; }
  /// Row of the block of half `half` of this lane's accumulators in row tile i, and their first column in a tile of 8.
  __device__ static int row(int i, int half) { return warp_row() + i * 16 + threadIdx.x % 32 / 4 + half * 8; }
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
  bool longest_first;  ///< the last row blocks of all streams, then those before them
  float scale_log2;    ///< scale times log2(e)
  float empty_lse;
};

namespace flash2_steps {

/// The row block of this thread block.
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

/// What a thread keeps of its rows from tile to tile; l holds its own columns' share.
template <class S>
struct State {
  Accumulator o[S::row_tiles][S::o_pairs * 2] = {};
  float m[S::row_tiles][2];
  float l[S::row_tiles][2] = {};

  __device__ State() {
    for (auto& rows : m) rows[0] = rows[1] = -INFINITY;
  }
};

template <class S>
using Scores = Accumulator[S::row_tiles][S::k_pairs * 2];

/// Tiles of the block in shared memory.
template <class S>
struct Tiles {
  unsigned base;

  __device__ typename S::QTile q() const { return {base}; }
  __device__ typename S::KeyTile k(int stage) const { return {base + S::QTile::size + stage * S::KeyTile::size}; }
  __device__ typename S::KeyTile v(int stage) const { return k(S::stages + stage); }
};

__device__ inline float max_of_quad(float value) {
  value = fmaxf(value, __shfl_xor_sync(~0u, value, 1));
  return fmaxf(value, __shfl_xor_sync(~0u, value, 2));
}

__device__ inline float sum_of_quad(float value) {
  value += __shfl_xor_sync(~0u, value, 1);
  return value + __shfl_xor_sync(~0u, value, 2);
}

template <class S, class Counters>
__device__ void load_q(const typename S::QTile& tile, const Flash2Arguments<typename S::T>& a, const Place& place,
                       Counters& counters) {
  const auto* from = a.q + (place.stream * a.seq_q + place.row_begin) * S::head_dim;
  copy_rows<S::threads>(tile, from, S::head_dim, a.seq_q - place.row_begin, TensorName::Q, counters);
}

/// A K or V tile; only the last one of a stream may be short.
template <class S, bool Whole, class Counters>
__device__ void load_keys(const typename S::KeyTile& tile, const typename S::T* stream, Count key_begin, Count keys,
                          TensorName tensor, Counters& counters) {
  const auto* from = stream + key_begin * S::head_dim;
  if constexpr (Whole) {
    copy_all_rows<S::threads>(tile, from, S::head_dim, tensor, counters);
  } else {
    copy_rows<S::threads>(tile, from, S::head_dim, keys - key_begin, tensor, counters);
  }
}

/// Q as A operands, from registers or shared memory.
template <class S>
struct QFragments {
  Fragment kept[S::q_in_registers ? S::q_steps : 1][S::row_tiles];
  unsigned lane;

  __device__ explicit QFragments(const typename S::QTile& tile)
      : lane(S::QTile::moved(tile.lane_of_rows(), 0, 0) + S::warp_row() * S::QTile::pitch) {}

  __device__ void load(Fragment (&to)[S::row_tiles], int step) const {
#pragma unroll
    for (int i = 0; i < S::row_tiles; ++i) load_matrices(to[i], S::QTile::moved(lane, i * 16, step * 2));
  }
  __device__ void keep() {
    if constexpr (S::q_in_registers) {
#pragma unroll
      for (int step = 0; step < S::q_steps; ++step) load(kept[step], step);
    }
  }
};

/// S = Q K^T. The operands of the next product are on their way while this one's are multiplied.
template <class S>
__device__ void scores(Scores<S>& s, const QFragments<S>& q, unsigned k_lane) {
#pragma unroll
  for (auto& rows : s) {
#pragma unroll
    for (auto& sums : rows) sums[0] = sums[1] = sums[2] = sums[3] = 0;
  }
  Fragment read_q[2][S::row_tiles], k[2];
  const auto& from_memory = read_q;
  if constexpr (!S::q_in_registers) q.load(read_q[0], 0);
  load_matrices(k[0], k_lane);
#pragma unroll
  for (int step = 0; step < S::q_steps; ++step) {
    if constexpr (!S::q_in_registers) {
      if (step + 1 < S::q_steps) q.load(read_q[(step + 1) % 2], step + 1);
    }
#pragma unroll
    for (int pair = 0; pair < S::k_pairs; ++pair) {
      const int now = step * S::k_pairs + pair, next = now + 1;
      if (next < S::q_steps * S::k_pairs) {
        load_matrices(k[next % 2], S::KeyTile::moved(k_lane, next % S::k_pairs * 16, next / S::k_pairs * 2));
      }
#pragma unroll
      for (int i = 0; i < S::row_tiles; ++i) {
        const Fragment& a = S::q_in_registers ? q.kept[S::q_in_registers ? step : 0][i] : from_memory[step % 2][i];
        multiply_add<typename S::T>(s[i][2 * pair], a, k[now % 2][0], k[now % 2][1]);
        multiply_add<typename S::T>(s[i][2 * pair + 1], a, k[now % 2][2], k[now % 2][3]);
      }
    }
  }
}

/// S = -infinity where the row does not see the key, or the tile has no such key.
template <class S>
__device__ void mask(Scores<S>& s, const Visibility& visible, const Place& place, Count key_begin) {
  const Count keys = clamp(visible.keys - key_begin, 0, S::block_k);
#pragma unroll
  for (int i = 0; i < S::row_tiles; ++i) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const Range seen = visible_keys(visible, place.row_begin + S::row(i, half), key_begin, keys);
      const int first = static_cast<int>(seen.first), last = static_cast<int>(seen.last);
#pragma unroll
      for (int n = 0; n < S::k_pairs * 2; ++n) {
#pragma unroll
        for (int side = 0; side < 2; ++side) {
          const int column = n * 8 + S::column() + side;
          if (column < first || column >= last) s[i][n][half * 2 + side] = -INFINITY;
        }
      }
    }
  }
}

/// P = exp(scale (S - m)) over S, with the new m and l; `alpha` is what earlier sums shrink by. While a row has seen no
/// key, which only masked tiles leave possible, its m is -infinity, and 0 stands in for it in the exponents.
template <class S, bool Masked>
__device__ void softmax(Scores<S>& s, State<S>& state, float (&alpha)[S::row_tiles][2], float scale_log2) {
#pragma unroll
  for (int i = 0; i < S::row_tiles; ++i) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      float m = state.m[i][half];
#pragma unroll
      for (const auto& sums : s[i]) m = fmaxf(m, fmaxf(sums[half * 2], sums[half * 2 + 1]));
      m = max_of_quad(m);
      const float base = Masked && m == -INFINITY ? 0 : m * scale_log2;
      alpha[i][half] = exp2_approximate(state.m[i][half] * scale_log2 - base);
      state.m[i][half] = m;
      float sum = 0;
#pragma unroll
      for (auto& sums : s[i]) {
        sums[half * 2] = exp2_approximate(fmaf(sums[half * 2], scale_log2, -base));
        sums[half * 2 + 1] = exp2_approximate(fmaf(sums[half * 2 + 1], scale_log2, -base));
        sum += sums[half * 2] + sums[half * 2 + 1];
      }
      state.l[i][half] = state.l[i][half] * alpha[i][half] + sum;
    }
  }
}

/// O = diag(alpha) O.
template <class S>
__device__ void rescale(State<S>& state, const float (&alpha)[S::row_tiles][2]) {
#pragma unroll
  for (int i = 0; i < S::row_tiles; ++i) {
#pragma unroll
    for (auto& sums : state.o[i]) {
      sums[0] *= alpha[i][0];
      sums[1] *= alpha[i][0];
      sums[2] *= alpha[i][1];
      sums[3] *= alpha[i][1];
    }
  }
}

/// O = O + P V. Accumulators of S are the A operand of this product, once rounded.
template <class S>
__device__ void accumulate(State<S>& state, const Scores<S>& p, unsigned v_lane) {
  using T = typename S::T;
  Fragment v[2];
  load_matrices_transposed(v[0], v_lane);
#pragma unroll
  for (int step = 0; step < S::k_pairs; ++step) {
    Fragment a[S::row_tiles];
#pragma unroll
    for (int i = 0; i < S::row_tiles; ++i) {
      const Accumulator &left = p[i][2 * step], &right = p[i][2 * step + 1];
      a[i][0] = packed<T>(left[0], left[1]);
      a[i][1] = packed<T>(left[2], left[3]);
      a[i][2] = packed<T>(right[0], right[1]);
      a[i][3] = packed<T>(right[2], right[3]);
    }
#pragma unroll
    for (int pair = 0; pair < S::o_pairs; ++pair) {
      const int now = step * S::o_pairs + pair, next = now + 1;
      if (next < S::k_pairs * S::o_pairs) {
        load_matrices_transposed(v[next % 2], S::KeyTile::moved(v_lane, next / S::o_pairs * 16, next % S::o_pairs * 2));
      }
#pragma unroll
      for (int i = 0; i < S::row_tiles; ++i) {
        multiply_add<T>(state.o[i][2 * pair], a[i], v[now % 2][0], v[now % 2][1]);
        multiply_add<T>(state.o[i][2 * pair + 1], a[i], v[now % 2][2], v[now % 2][3]);
      }
    }
  }
}

/// O = O / l and m = LSE = scale m + log l; rows without keys get O = 0 and the LSE asked for.
template <class S>
__device__ void finish(State<S>& state, float scale_log2, float empty_lse) {
  constexpr float log_of_2 = 0.6931471805599453f;
  float reciprocal[S::row_tiles][2];
#pragma unroll
  for (int i = 0; i < S::row_tiles; ++i) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const float l = sum_of_quad(state.l[i][half]);
      const bool empty = l == 0;
      reciprocal[i][half] = empty ? 0 : 1 / l;
      state.m[i][half] = empty ? empty_lse : state.m[i][half] * (scale_log2 * log_of_2) + logf(l);
    }
  }
  rescale<S>(state, reciprocal);
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
      *reinterpret_cast<uint4*>(to + chunk * chunk_elements) = load_chunk(tile.at(row, chunk));
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

/// Streams the key tiles of a row block past it, from the last to the first, so that short tiles and the diagonal of a
/// causal mask come first.
struct TileRange {
  int first;
  int last;
};

__device__ inline TileRange tiles_of(const Range& range) {
  return {static_cast<int>(range.first), static_cast<int>(range.last)};
}

template <class S, class Counters>
class KeyLoop {
  using T = typename S::T;

 public:
  __device__ KeyLoop(const Flash2Arguments<T>& a, const Place& place, const Tiles<S>& tiles, Counters& counters)
      : a_(a),
        place_(place),
        tiles_(tiles),
        counters_(counters),
        k_(a.k + place.kv_stream * a.seq_k * S::head_dim),
        v_(a.v + place.kv_stream * a.seq_k * S::head_dim),
        visited_(tiles_of(visited_tiles(a.visible, place.row_begin, S::block_q, S::block_k))),
        unmasked_(tiles_of(unmasked_tiles(a.visible, place.row_begin, S::block_q, S::block_k))) {}

  __device__ void run(State<S>& state) {
    if (visited_.last <= visited_.first) return;
    load_q<S>(tiles_.q(), a_, place_, counters_);
    begin();
    QFragments<S> q(tiles_.q());
    int stage = 0;
    for (int tile = visited_.last - 1; tile >= visited_.first; --tile) {
      const bool unmasked = tile >= unmasked_.first && tile < unmasked_.last;
      if (unmasked) {
        step<false>(state, q, tile, stage);
      } else {
        step<true>(state, q, tile, stage);
      }
      if constexpr (S::stages == 2) stage ^= 1;
    }
  }

 private:
  template <bool Whole>
  __device__ void load_k(int tile, int stage) {
    load_keys<S, Whole>(tiles_.k(stage), k_, Count{tile} * S::block_k, a_.visible.keys, TensorName::K, counters_);
  }
  template <bool Whole>
  __device__ void load_v(int tile, int stage) {
    load_keys<S, Whole>(tiles_.v(stage), v_, Count{tile} * S::block_k, a_.visible.keys, TensorName::V, counters_);
  }

  __device__ void begin() {
    const int last = visited_.last - 1;
    load_k<false>(last, 0);
    if constexpr (S::stages == 2) load_v<false>(last, 0);
    commit_copies();
  }

  template <bool Masked>
  __device__ void step(State<S>& state, QFragments<S>& q, int tile, int stage) {
    wait_for_copies<0>();
    __syncthreads();
    if (tile == visited_.last - 1) q.keep();
    if constexpr (S::stages == 1) {
      load_v<!Masked>(tile, 0);
    } else if (tile > visited_.first) {
      load_k<true>(tile - 1, stage ^ 1);
      load_v<true>(tile - 1, stage ^ 1);
    }
    commit_copies();
    Scores<S> s;
    scores<S>(s, q, tiles_.k(stage).lane_of_columns());
    if constexpr (S::stages == 1) {
      wait_for_copies<0>();
      __syncthreads();
      if (tile > visited_.first) load_k<true>(tile - 1, 0);
      commit_copies();
    }
    if constexpr (Masked) mask<S>(s, a_.visible, place_, Count{tile} * S::block_k);
    float alpha[S::row_tiles][2];
    softmax<S, Masked>(s, state, alpha, a_.scale_log2);
    rescale<S>(state, alpha);
    accumulate<S>(state, s, tiles_.v(stage).lane_of_rows());
    counters_.tile();
  }

  const Flash2Arguments<T>& a_;
  const Place& place_;
  const Tiles<S>& tiles_;
  Counters& counters_;
  const T* k_;
  const T* v_;
  TileRange visited_;
  TileRange unmasked_;
};

}  // namespace flash2_steps

/// One thread block computes block_q rows of one stream.
template <class S, class Counters>
__global__ void __launch_bounds__(S::threads, S::resident)
    flash2(const __grid_constant__ Flash2Arguments<typename S::T> a, typename Counters::Records records) {
  using namespace flash2_steps;
  extern __shared__ __align__(128) unsigned char flash2_shared[];
  const Tiles<S> tiles{shared_address(flash2_shared)};
  const Place place(a, S::block_q);
  Counters counters;
  State<S> state;
  KeyLoop<S, Counters>(a, place, tiles, counters).run(state);
  finish<S>(state, a.scale_log2, a.empty_lse);
  store_o<S>(state, tiles.q(), a, place, counters);
  store_lse<S>(state, a, place, counters);
  counters.flush(records);
}

}  // namespace tilemeter::kernels
