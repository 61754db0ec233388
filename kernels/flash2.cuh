// FlashAttention-2 forward on the tensor cores, as device code; `flash2.cu` launches it.
#pragma once

#include "kernels/flash2_steps.cuh"

namespace tilemeter::kernels {
namespace flash2_steps {

/// Half-open range of key tiles.
struct KeyTiles {
  int first;
  int last;

  __device__ explicit KeyTiles(const Range& tiles)
      : first(static_cast<int>(tiles.first)), last(static_cast<int>(tiles.last)) {}
  __device__ bool has(int tile) const { return first <= tile && tile < last; }
};

/// Streams the key tiles of a row block past it, from the last to the first: the one that may be short, and those that
/// a causal mask cuts, come first. Copies of the next tile are on their way while this one is computed with.
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
    load_q<S>(tiles.q(), a, place, counters);
    load_last();
    QFragments<S> q(tiles.q());
    int stage = 0;
    for (int tile = visited.last - 1; tile >= visited.first; --tile) {
      step(state, q, tile, stage);
      if constexpr (S::stages == 2) stage ^= 1;
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

  __device__ void load_k(int tile, int stage) {
    const T* from = k + Count{tile} * (S::block_k * S::head_dim);
    copy_all_rows<S::threads>(tiles.k(stage), from, S::head_dim, TensorName::K, counters);
  }

  __device__ void load_v(int tile, int stage) {
    const T* from = v + Count{tile} * (S::block_k * S::head_dim);
    copy_all_rows<S::threads>(tiles.v(stage), from, S::head_dim, TensorName::V, counters);
  }

  /// One tile. With two stages all of the next one is fetched meanwhile; with one, V of this tile under Q K^T, and the
  /// next K after it.
  __device__ void step(State<S>& state, QFragments<S>& q, int tile, int stage) {
    const bool begins = tile == visited.last - 1, ends = tile == visited.first;
    wait_for_copies<0>();
    __syncthreads();
    if (begins) q.keep();
    if constexpr (S::stages == 1) {
      if (!begins) load_v(tile, 0);
    } else if (!ends) {
      load_k(tile - 1, stage ^ 1);
      load_v(tile - 1, stage ^ 1);
    }
    commit_copies();
    Scores<S> s;
    scores<S>(s, q, tiles.k(stage).lane_of_columns());
    if constexpr (S::stages == 1) {
      wait_for_copies<0>();
      __syncthreads();
      if (!ends) load_k(tile - 1, 0);
      commit_copies();
    }
    if (!unmasked.has(tile)) mask<S>(s, a.visible, place, Count{tile} * S::block_k);
    float alpha[S::row_tiles][2];
    softmax<S>(s, state, alpha, a.scale_log2);
    if (changes<S>(alpha)) rescale<S>(state, alpha);
    accumulate<S>(state, s, tiles.v(stage).lane_of_rows());
    counters.tile();
  }
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
  KeyLoop<S, Counters>{a, place, tiles, counters}.run(state);
  finish<S>(state, a.scale_log2, a.empty_lse);
  store_o<S>(state, tiles.q(), a, place, counters);
  store_lse<S>(state, a, place, counters);
  counters.flush(records);
}

}  // namespace tilemeter::kernels
