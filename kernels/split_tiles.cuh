// The first kernel of split_kv up to its end: the rows of a thread block against the keys of its split.
#pragma once

#include "kernels/masked_sums.cuh"
#include "kernels/split_rows.cuh"

namespace tilemeter::kernels::split {

/// Sizes of a thread block. Four warps: those of a team hold 16 query rows each, and share the keys of the team, which
/// are its part of every tile. With 16 rows a team is a warp, which then waits for nobody.
template <class T, int BlockQ, int BlockK, int HeadDim, int Stages>
struct Shape {
  using Element = T;
  static constexpr int block_q = BlockQ, block_k = BlockK, head_dim = HeadDim, stages = Stages;
  static constexpr int warps = 4, warp = 32, threads = warps * warp;
  static constexpr int team_warps = BlockQ / 16, team = team_warps * warp, teams = warps / team_warps;
  static constexpr int keys = BlockK / teams;  ///< of a team
  static constexpr int steps = HeadDim / 16;   ///< of the sum over the head dimension
  static constexpr int row_chunks = HeadDim / chunk_elements;
  static_assert(keys % 16 == 0 && Stages >= 2 && (team_warps == 1 || team_warps == warps));

  using QTile = SwizzledTile<BlockQ, HeadDim>;
  using KeyTile = SwizzledTile<keys, HeadDim>;  ///< K or V of a team
  static constexpr int stage = 2 * teams * KeyTile::size;
  static constexpr int shared = QTile::size + Stages * stage;

  __device__ static int lane() { return threadIdx.x % warp; }
  __device__ static int own_team() { return threadIdx.x / team; }
  /// The first of the two rows of the block that this lane's sums belong to; the other is 8 below.
  __device__ static int row() { return threadIdx.x / warp % team_warps * 16 + lane() / 4; }
  __device__ static void join_team() {
    if constexpr (team_warps == 1) {
      __syncwarp();
    } else {
      __syncthreads();
    }
  }
};

/// The tiles of this thread block: one row block of a stream, and one split of the key tiles that it visits.
struct Place {
  unsigned split;
  unsigned stream;
  unsigned row_begin;
  Range tiles;
  Range seen_by_all;  ///< keys that every row of the block sees

  template <class S>
  __device__ Place(const Arguments<typename S::Element>& a, S) {
    const unsigned row_block = blockIdx.x / a.splits;
    split = blockIdx.x % a.splits;
    stream = row_block / a.row_blocks;
    row_begin = row_block % a.row_blocks * S::block_q;
    const Count low = row_begin / a.heads, high = (min(row_begin + S::block_q, a.rows) - 1) / a.heads;
    const Range visited = visited_tiles(a.visible, low, high + 1 - low, S::block_k);
    tiles = {max(visited.first, split * a.tiles), min(visited.last, (split + 1) * a.tiles)};
    seen_by_all = {visible_keys(a.visible, high, 0, a.visible.keys).first,
                   visible_keys(a.visible, low, 0, a.visible.keys).last};
  }
};

/// What a thread keeps of its two rows from tile to tile: m in exponents to base 2, and the part of l of its columns.
template <class S>
struct State {
  Accumulator o[2 * S::steps] = {};
  float m[2] = {-INFINITY, -INFINITY};
  float l[2] = {0, 0};
};

template <class S>
using Scores = Accumulator[S::keys / 8];
template <class S>
using QFragments = Fragment[S::steps];

template <class S, class Counters>
__device__ void load_q(const typename S::QTile& tile, const Arguments<typename S::Element>& a, const Place& place,
                       Counters& counters) {
#pragma unroll
  for (int i = threadIdx.x; i < S::block_q * S::row_chunks; i += S::threads) {
    const int row = i / S::row_chunks, chunk = i % S::row_chunks;
    if (place.row_begin + row < a.rows) {
      const Count from = QueryRow(a, place.stream, place.row_begin + row).index(a);
      copy_async(tile.at(row, chunk), a.q + from * S::head_dim + chunk * chunk_elements);
      counters.read(TensorName::Q, chunk_elements);
    } else {
      clear_chunk(tile.at(row, chunk));
    }
  }
}

/// Starts the copies of the team's rows of K or V, of which `valid` exist; the others become zero.
template <class S, class Counters>
__device__ void load_rows(const typename S::KeyTile& tile, const typename S::Element* from, int valid,
                          TensorName tensor, Counters& counters) {
  constexpr int rows_at_once = S::team / S::row_chunks;
  static_assert(8 % rows_at_once == 0 || rows_at_once % 8 == 0);
  const int thread = threadIdx.x % S::team, row = thread / S::row_chunks, chunk = thread % S::row_chunks;
  const unsigned start = tile.at(row, chunk);
  from += row * S::head_dim + chunk * chunk_elements;
#pragma unroll
  for (int down = 0; down < S::keys; down += rows_at_once) {
    const unsigned to = (start ^ (down % 8 * 16)) + down * S::KeyTile::pitch;
    if (row + down < valid) {
      copy_async(to, from + down * S::head_dim);
      counters.read(tensor, chunk_elements);
    } else {
      clear_chunk(to);
    }
  }
}

/// Shared memory of a stage: the K tiles of the teams, then their V tiles.
template <class S>
struct Stage {
  unsigned base;
  __device__ typename S::KeyTile k() const { return {base + S::own_team() * S::KeyTile::size}; }
  __device__ typename S::KeyTile v() const { return {base + (S::teams + S::own_team()) * S::KeyTile::size}; }
};

template <class S, class Counters>
__device__ void load_tile(const Stage<S>& stage, const Arguments<typename S::Element>& a, const Place& place,
                          Count tile, Counters& counters) {
  const Count key = tile * S::block_k + S::own_team() * S::keys;
  const int valid = static_cast<int>(clamp(a.visible.keys - key, 0, S::keys));
  const Count from = (Count{place.stream / a.kv_share} * a.seq_k + key) * S::head_dim;
  load_rows<S>(stage.k(), a.k + from, valid, TensorName::K, counters);
  load_rows<S>(stage.v(), a.v + from, valid, TensorName::V, counters);
}

/// S = Q K^T.
template <class S>
__device__ void scores(Scores<S>& s, const QFragments<S>& q, const typename S::KeyTile& k) {
  const unsigned start = k.lane_of_columns();
#pragma unroll
  for (int key = 0; key < S::keys; key += 16) {
    Accumulator &first = s[key / 8], &second = s[key / 8 + 1];
    for (int i = 0; i < 4; ++i) first[i] = second[i] = 0;
#pragma unroll
    for (int step = 0; step < S::steps; ++step) {
      Fragment b;
      load_matrices(b, S::KeyTile::moved(start, key, 2 * step));
      multiply_add<typename S::Element>(first, q[step], b[0], b[1]);
      multiply_add<typename S::Element>(second, q[step], b[2], b[3]);
    }
  }
}

/// S = -infinity where the row does not see the key.
template <class S>
__device__ void mask(Scores<S>& s, const Arguments<typename S::Element>& a, const Place& place, Count key_begin) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const Count position = (place.row_begin + S::row() + 8 * half) / a.heads;
    const Count keys = clamp(a.visible.keys - key_begin, 0, S::keys);
    hide_unseen(s, half, visible_keys(a.visible, position, key_begin, keys));
  }
}

/// P = exp(scale S - m) over S, with the new m and l; O shrinks where m grows.
template <class S>
__device__ void softmax(Scores<S>& s, State<S>& state, float scale) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    float largest = -INFINITY;
#pragma unroll
    for (const Accumulator& sums : s) largest = fmaxf(largest, fmaxf(sums[2 * half], sums[2 * half + 1]));
    largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, 1));
    largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, 2));
    const float before = state.m[half], m = fmaxf(before, largest * scale), base = base_of(m);
    float sum = 0;
#pragma unroll
    for (Accumulator& sums : s) {
#pragma unroll
      for (int i = 2 * half; i < 2 * half + 2; ++i) {
        sums[i] = exp2_approximate(sums[i] * scale - base);
        sum += sums[i];
      }
    }
    const float alpha = exp2_approximate(before - base);
    state.m[half] = m;
    state.l[half] = state.l[half] * alpha + sum;
#pragma unroll
    for (Accumulator& o : state.o) {
      o[2 * half] *= alpha;
      o[2 * half + 1] *= alpha;
    }
  }
}

/// O = O + P V.
template <class S>
__device__ void accumulate(State<S>& state, const Scores<S>& p, const typename S::KeyTile& v) {
  using T = typename S::Element;
  const unsigned start = v.lane_of_rows();
#pragma unroll
  for (int key = 0; key < S::keys; key += 16) {
    const Accumulator &first = p[key / 8], &second = p[key / 8 + 1];
    const Fragment a = {packed<T>(first[0], first[1]), packed<T>(first[2], first[3]), packed<T>(second[0], second[1]),
                        packed<T>(second[2], second[3])};
#pragma unroll
    for (int step = 0; step < S::steps; ++step) {
      Fragment b;
      load_matrices_transposed(b, S::KeyTile::moved(start, key, 2 * step));
      multiply_add<T>(state.o[2 * step], a, b[0], b[1]);
      multiply_add<T>(state.o[2 * step + 1], a, b[2], b[3]);
    }
  }
}

/// The rows of a block against the keys of its tiles, with the next stages - 1 tiles on their way.
template <class S, class Counters>
__device__ void attend(State<S>& state, const Arguments<typename S::Element>& a, const Place& place, unsigned shared,
                       Counters& counters) {
  const typename S::QTile q_tile{shared};
  const auto stage_of = [&](Count tile) {
    return Stage<S>{shared + S::QTile::size + static_cast<int>((tile - place.tiles.first) % S::stages) * S::stage};
  };
  const auto start = [&](Count tile) {
    if (tile < place.tiles.last) load_tile<S>(stage_of(tile), a, place, tile, counters);
    commit_copies();
  };
  load_q<S>(q_tile, a, place, counters);
  commit_copies();
#pragma unroll 1
  for (int ahead = 0; ahead < S::stages - 1; ++ahead) start(place.tiles.first + ahead);
  wait_for_copies<S::stages - 1>();
  __syncthreads();
  QFragments<S> q;
  const unsigned q_start = S::QTile::moved(q_tile.lane_of_rows(), threadIdx.x / S::warp % S::team_warps * 16, 0);
#pragma unroll
  for (int step = 0; step < S::steps; ++step) load_matrices(q[step], S::QTile::moved(q_start, 0, 2 * step));

#pragma unroll 1
  for (Count tile = place.tiles.first; tile < place.tiles.last; ++tile) {
    wait_for_copies<S::stages - 2>();
    S::join_team();
    start(tile + S::stages - 1);
    const Stage<S> stage = stage_of(tile);
    const Count key_begin = tile * S::block_k + S::own_team() * S::keys;
    Scores<S> s;
    scores<S>(s, q, stage.k());
    const bool all_seen = key_begin >= place.seen_by_all.first && key_begin + S::keys <= place.seen_by_all.last;
    if (!all_seen) mask<S>(s, a, place, key_begin);
    softmax<S>(s, state, a.scale);
    accumulate<S>(state, s, stage.v());
    counters.tile();
  }
}

}  // namespace tilemeter::kernels::split
