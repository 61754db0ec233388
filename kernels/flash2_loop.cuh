// flash2's way through the tiles of K and V.
#pragma once

#include "kernels/flash2_steps.cuh"

namespace tilemeter::kernels::flash2_steps {

/// Half-open range of key tiles.
struct KeyTiles {
  int first;
  int last;

  __device__ explicit KeyTiles(const Range& tiles)
      : first(static_cast<int>(tiles.first)), last(static_cast<int>(tiles.last)) {}
  __device__ bool has(int tile) const { return first <= tile && tile < last; }
};

/// Streams the key tiles of a row block past it, from the last to the first: the one that may be short, and those that
/// a causal mask cuts, come first. No barrier holds the warps of the block together.
template <class S, class Counters>
struct KeyLoop {
  using T = typename S::T;

  const Flash2Arguments<T>& a;
  const Place& place;
  const Tiles<S>& tiles;
  Counters& counters;
  const T* k = a.k + place.kv_stream * a.seq_k * S::head_dim;
  const T* v = a.v + place.kv_stream * a.seq_k * S::head_dim;
  KeyTiles visited{visited_tiles(a.visible, place.row_begin, S::block_q, S::block_k)};
  KeyTiles unmasked{unmasked_tiles(a.visible, place.row_begin, min(place.row_begin + S::block_q, a.seq_q), S::block_k)};

  __device__ void run(State<S>& state) {
    if (visited.last <= visited.first) return;
    if (threadIdx.x == 0) init_barriers();
    load_q<S>(tiles.q(), a, place, counters);
    load_last();
    wait_for_copies<0>();
    __syncthreads();
    QFragments<S> q(tiles.q());
    q.keep();
    int turn = 0;
    for (int tile = visited.last - 1; tile >= visited.first; --tile, ++turn) step(state, q, tile, turn);
  }

  __device__ void init_barriers() {
    for (int stage = 0; stage < S::stages; ++stage) {
      tiles.full(stage).init(S::threads);
      tiles.used(stage).init(S::threads);
    }
  }

  /// Only the last K and V tile of a stream can be short.
  __device__ void load_last() {
    const Count begin = Count{visited.last - 1} * S::block_k;
    const Count rows = a.visible.keys - begin;
    copy_rows<S::threads>(tiles.k(0), k + begin * S::head_dim, S::head_dim, rows, TensorName::K, counters);
    copy_rows<S::threads>(tiles.v(0), v + begin * S::head_dim, S::head_dim, rows, TensorName::V, counters);
    commit_copies();
  }

  __device__ void load_next(int tile, int stage) {
    const Count begin = Count{tile} * (S::block_k * S::head_dim);
    copy_all_rows<S::threads>(tiles.k(stage), k + begin, S::head_dim, TensorName::K, counters);
    copy_all_rows<S::threads>(tiles.v(stage), v + begin, S::head_dim, TensorName::V, counters);
    tiles.full(stage).arrive_after_copies();
  }

  /// One tile, the block's turn-th. The next is fetched after Q K^T, when the slower warps, too, will be done with the
  /// stage that it goes to. Stages alternate, so both barriers that a turn waits for are in the phase of one parity.
  __device__ void step(State<S>& state, QFragments<S>& q, int tile, int turn) {
    const int stage = turn % 2, next = stage ^ 1, parity = (turn - 1) / 2 % 2;
    if (turn > 0) tiles.full(stage).wait(parity);
    Scores<S> s;
    scores<S>(s, q, tiles.k(stage).lane_of_columns());
    if (tile > visited.first) {
      if (turn > 0) tiles.used(next).wait(parity);
      load_next(tile - 1, next);
    }
    if (!unmasked.has(tile)) mask<S>(s, a.visible, place, Count{tile} * S::block_k);
    float alpha[S::row_tiles][2];
    softmax<S>(s, state, alpha, a.scale_log2);
    rescale_if_needed<S>(state, alpha);
    accumulate<S>(state, s, tiles.v(stage).lane_of_rows());
    tiles.used(stage).arrive();
    counters.tile();
  }
};

}  // namespace tilemeter::kernels::flash2_steps
