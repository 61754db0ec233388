// The steps that the backward passes share, on a tile of queries and a tile of keys.
#pragma once

#include <cmath>

#include "kernels/chunks.cuh"
#include "kernels/gradient_warps.hpp"
#include "kernels/masked_sums.cuh"
#include "kernels/products.cuh"
#include "kernels/visibility.hpp"

namespace tilemeter::kernels::gradient_steps {

/// The part of a product of `Rows` x `Columns` that each warp computes.
template <int Rows, int Columns, int WarpsDown>
struct WarpPart {
  static constexpr int warps_across = GradientWarps::all / WarpsDown;
  static constexpr int rows = Rows / WarpsDown, columns = Columns / warps_across;
  static constexpr int row_tiles = rows / 16, pairs = columns / 16;
  static_assert(rows % 16 == 0 && columns % 32 == 0);
  using Sums = WarpSums<row_tiles, pairs>;

  __device__ static int row() { return threadIdx.x / 32 / warps_across * rows; }
  __device__ static int column() { return threadIdx.x / 32 % warps_across * columns; }
  /// Row of the product that this lane's sums of row tile i belong to; half 1 is their second row.
  __device__ static int row(int i, int half) { return row() + i * 16 + threadIdx.x % 32 / 4 + half * 8; }
};

/// Sizes of a block: a tile of queries passes by a tile of keys.
template <class Element, int BlockQ, int BlockK, int HeadDim, GradientWarps Warps>
struct GradientShape {
  using T = Element;
  static constexpr int block_q = BlockQ, block_k = BlockK, head_dim = HeadDim;
  static constexpr int threads = GradientWarps::all * 32;
  using ScorePart = WarpPart<block_q, block_k, Warps.scores>;
  using KeyPart = WarpPart<block_k, head_dim, Warps.key_gradients>;
  /// dQ of wide heads is computed in two parts of its columns, for which there are registers beside dK and dV.
  static constexpr int query_parts = head_dim > 128 ? 2 : 1;
  using QueryPart = WarpPart<block_q, head_dim / query_parts, Warps.query_gradient>;

  using QueryTile = SwizzledTile<block_q, head_dim>;
  using KeyTile = SwizzledTile<block_k, head_dim>;
  using ScoreTile = SwizzledTile<block_q, block_k>;  ///< P, dS
};

/// The number of this thread block, read anew each time: what follows from it is computed where it is needed, for which
/// there are more instructions than registers.
__device__ inline unsigned block_number() {
  unsigned number;
  asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(number));
  return number;
}

inline constexpr float log2_of_e = 1.4426950408889634f;

/// Starts a copy of four bytes to shared memory.
__device__ inline void copy_float_async(unsigned to, const float* from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" : : "r"(to), "l"(from) : "memory");
}

/// Starts the copies of a column of `Rows` floats; `absent` stands in for those past `valid`.
template <int Rows, class Counters>
__device__ void copy_column(unsigned to, int thread, const float* from, Count valid, float absent, TensorName tensor,
                            Counters& counters) {
  if (thread < 0 || thread >= Rows) return;
  if (thread < valid) {
    copy_float_async(to + thread * 4, from + thread);
    counters.read(tensor, 1);
  } else {
    store_float(to + thread * 4, absent);
  }
}

/// Initialises the barriers of a block's tiles, at which every thread arrives twice: with its copies and by itself.
template <class S, int Stages, class Tiles>
__device__ void init_barriers(const Tiles& tiles) {
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < Stages; ++stage) tiles.full(stage).init(2 * S::threads);
  }
  __syncthreads();
}

/// This thread has started its copies for the stage, and done its stores.
template <class Tiles>
__device__ void arrive(const Tiles& tiles, int stage) {
  tiles.full(stage).arrive_after_copies();
  tiles.full(stage).arrive();
}

/// Starts the copies of a tile of K and V.
template <class S, class Place, class Counters>
__device__ void load_keys(const typename S::KeyTile& k, const typename S::KeyTile& v, const Place& place, int key_tile,
                          Counters& counters) {
  const auto& a = place.a;
  const Count begin = Count{key_tile} * S::block_k, valid = a.seq_k - begin;
  const Count from = (place.kv_stream() * a.seq_k + begin) * S::head_dim;
  copy_rows<S::threads>(k, a.k + from, S::head_dim, valid, TensorName::K, counters);
  copy_rows<S::threads>(v, a.v + from, S::head_dim, valid, TensorName::V, counters);
}

/// A B^T of the block, in the part of this warp; rows of both tiles hold the terms.
template <class S>
__device__ void multiply_rows(typename S::ScorePart::Sums& sums, const typename S::QueryTile& queries,
                              const typename S::KeyTile& keys) {
  using Part = typename S::ScorePart;
  const auto a = OperandLanes<typename S::QueryTile>::rows(queries, Part::row());
  const auto b = OperandLanes<typename S::KeyTile>::row_columns(keys, Part::column());
  clear(sums);
  add_product<typename S::T, S::head_dim / 16>(
      sums, [&](Fragment& to, int row, int step) { a.along(to, row, step); },
      [&](Fragment& to, int pair, int step) { b.along(to, pair, step); });
}

/// S = -infinity where the row does not see the key, or the tile has no such key.
template <class S>
__device__ void mask(typename S::ScorePart::Sums& s, const Visibility& visible, Count row_begin, Count key_begin) {
  using Part = typename S::ScorePart;
  const Count first_key = key_begin + Part::column();
  if (sees_all(visible, row_begin + Part::row(), Part::rows, first_key, Part::columns)) return;
  const Count keys = clamp(visible.keys - first_key, 0, Part::columns);
#pragma unroll
  for (int i = 0; i < Part::row_tiles; ++i) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      hide_unseen(s[i], half, visible_keys(visible, row_begin + Part::row(i, half), first_key, keys));
    }
  }
}

/// Sums of a warp in 16 bits: two neighbouring columns of one row in a register.
template <class Part>
using RoundedSums = unsigned[Part::row_tiles][2 * Part::pairs][2];

template <class T, class Part>
__device__ void round_sums(RoundedSums<Part>& to, const typename Part::Sums& sums, float factor = 1) {
#pragma unroll
  for (int i = 0; i < Part::row_tiles; ++i) {
#pragma unroll
    for (int n = 0; n < 2 * Part::pairs; ++n) {
      to[i][n][0] = packed<T>(sums[i][n][0] * factor, sums[i][n][1] * factor);
      to[i][n][1] = packed<T>(sums[i][n][2] * factor, sums[i][n][3] * factor);
    }
  }
}

/// Puts a warp's sums where they belong in a tile.
template <class Part, class Tile>
__device__ void put(const Tile& tile, const RoundedSums<Part>& sums) {
  const int lane = threadIdx.x % 32;
  const unsigned start =
      Tile::moved(tile.at(Part::row() + lane / 4, 0), 0, Part::column() / chunk_elements) + lane % 4 * 4;
#pragma unroll
  for (int i = 0; i < Part::row_tiles; ++i) {
#pragma unroll
    for (int n = 0; n < Part::pairs * 2; ++n) {
      store_pair(Tile::moved(start, i * 16, n), sums[i][n][0]);
      store_pair(Tile::moved(start, i * 16 + 8, n), sums[i][n][1]);
    }
  }
}

/// dS / scale = P o (dP - D), over dP.
template <class S>
__device__ void score_gradients(typename S::ScorePart::Sums& dp, const RoundedSums<typename S::ScorePart>& p,
                                unsigned d) {
  using Part = typename S::ScorePart;
#pragma unroll
  for (int i = 0; i < Part::row_tiles; ++i) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const float mean = load_float(d + Part::row(i, half) * 4);
#pragma unroll
      for (int n = 0; n < Part::pairs * 2; ++n) {
        const float2 weights = unpacked<typename S::T>(p[i][n][half]);
        dp[i][n][half * 2] = weights.x * (dp[i][n][half * 2] - mean);
        dp[i][n][half * 2 + 1] = weights.y * (dp[i][n][half * 2 + 1] - mean);
      }
    }
  }
}

/// sums += W^T X over the block's queries, in the part of this warp: dV of P and dO, dK of dS and Q. `between` as in
/// add_product.
template <class S, class Between = Nothing>
__device__ void add_key_gradients(typename S::KeyPart::Sums& sums, const typename S::ScoreTile& weights,
                                  const typename S::QueryTile& queries, Between between = {}) {
  using Part = typename S::KeyPart;
  const auto a = OperandLanes<typename S::ScoreTile>::columns(weights, Part::row());
  const auto b = OperandLanes<typename S::QueryTile>::down(queries, Part::column());
  add_product<typename S::T, S::block_q / 16>(
      sums, [&](Fragment& to, int row, int step) { a.across(to, row, step); },
      [&](Fragment& to, int pair, int step) { b.across(to, pair, step); }, between);
}

/// sums += dS K over the block's keys, in the part of this warp of one of the query_parts.
template <class S>
__device__ void add_query_gradient(typename S::QueryPart::Sums& sums, const typename S::ScoreTile& ds,
                                   const typename S::KeyTile& keys, int part = 0) {
  using Part = typename S::QueryPart;
  const auto a = OperandLanes<typename S::ScoreTile>::rows(ds, Part::row());
  const int column = part * S::head_dim / S::query_parts + Part::column();
  const auto b = OperandLanes<typename S::KeyTile>::down(keys, column);
  add_product<typename S::T, S::block_k / 16>(
      sums, [&](Fragment& to, int row, int step) { a.along(to, row, step); },
      [&](Fragment& to, int pair, int step) { b.across(to, pair, step); });
}

/// Rounded dK, times `scale`, and dV in the place of K and V.
template <class S, class Tiles>
__device__ void put_gradients(const Tiles& tiles, const typename S::KeyPart::Sums& dk,
                              const typename S::KeyPart::Sums& dv, float scale) {
  using Part = typename S::KeyPart;
  RoundedSums<Part> rounded;
  round_sums<typename S::T, Part>(rounded, dk, scale);
  put<Part>(tiles.k(), rounded);
  round_sums<typename S::T, Part>(rounded, dv);
  put<Part>(tiles.v(), rounded);
}

/// Stores the rows of a tile that exist.
template <class S, class Tile, class Counters>
__device__ void store_rows(typename S::T* to, const Tile& tile, Count valid, TensorName tensor, Counters& counters) {
  for_each_chunk<S::threads>(tile, [&](int row, int chunk, unsigned address) {
    if (row >= valid) return;
    write_chunk(to + Count{row} * S::head_dim + chunk * chunk_elements, load_chunk(address));
    counters.write(tensor, chunk_elements);
  });
}

/// dK and dV of the keys from `key_begin` on leave through the memory of K and V.
template <class S, class Tiles, class Arguments, class Counters>
__device__ void store_key_gradients(const Tiles& tiles, const Arguments& a, Count stream, Count key_begin,
                                    const typename S::KeyPart::Sums& dk, const typename S::KeyPart::Sums& dv,
                                    Counters& counters) {
  const Count to = (stream * a.seq_k + key_begin) * S::head_dim, valid = a.seq_k - key_begin;
  const bool expands = a.group > 1;
  __syncthreads();
  put_gradients<S>(tiles, dk, dv, a.scale);
  __syncthreads();
  store_rows<S>(a.dk + to, tiles.k(), valid, expands ? TensorName::dKx : TensorName::dK, counters);
  store_rows<S>(a.dv + to, tiles.v(), valid, expands ? TensorName::dVx : TensorName::dV, counters);
  __syncthreads();
}

/// Two lanes whose numbers differ in `bit` exchange values: of `low` and `high` the lane without the bit gets both
/// lanes' `low`, the one with it both lanes' `high`, its partner's value in the place of the one that it gave away.
__device__ inline void exchange(float& low, float& high, int bit) {
  const bool has_bit = (threadIdx.x & bit) != 0;
  const float received = __shfl_xor_sync(~0u, has_bit ? low : high, bit);
  if (has_bit) {
    low = received;
  } else {
    high = received;
  }
}

/// Four columns of four rows of every 16 x 32 of a warp's part of dQ: what a lane holds after `exchange_lanes`.
template <class S>
struct LanePieces {
  using Part = typename S::QueryPart;
  static constexpr int groups = Part::pairs / 2;  ///< of 32 columns
  static constexpr int number = Part::row_tiles * groups * 4;

  /// Row of the block and column of the lane's first piece.
  __device__ static int row() { return Part::row() + threadIdx.x % 32 / 8 * 2; }
  __device__ static int column() {
    const int lane = threadIdx.x % 32;
    return Part::column() + lane / 4 % 2 * 16 + lane % 2 * 8 + lane / 2 % 2 * 4;
  }
  /// How far the index-th piece lies below and to the right of it.
  __device__ static constexpr int down(int index) { return index / 4 / groups * 16 + index / 2 % 2 * 8 + index % 2; }
  __device__ static constexpr int right(int index) { return index / 4 % groups * 32; }

  /// Lanes exchange sums, so that eight neighbouring ones have 128 neighbouring bytes of fp32.
  __device__ static void exchange_lanes(typename Part::Sums& sums) {
#pragma unroll
    for (int i = 0; i < Part::row_tiles; ++i) {
#pragma unroll
      for (int group = 0; group < groups; ++group) {
        Accumulator* tiles = sums[i] + group * 4;
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          exchange(tiles[0][e], tiles[1][e], 1);
          exchange(tiles[2][e], tiles[3][e], 1);
          exchange(tiles[0][e], tiles[2][e], 4);
          exchange(tiles[1][e], tiles[3][e], 4);
        }
      }
    }
  }

  /// The index-th piece of exchanged sums.
  __device__ static float4 piece(const typename Part::Sums& sums, int index) {
    const int half = index / 2 % 2;
    const Accumulator* tiles = sums[index / 4 / groups] + index / 4 % groups * 4 + index % 2 * 2;
    return {tiles[0][half * 2], tiles[0][half * 2 + 1], tiles[1][half * 2], tiles[1][half * 2 + 1]};
  }
};

}  // namespace tilemeter::kernels::gradient_steps
