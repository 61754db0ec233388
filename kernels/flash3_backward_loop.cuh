// A consumer's way through the query tiles of its keys.
#pragma once

#include "kernels/flash3_backward_steps.cuh"

namespace tilemeter::kernels::flash3_gradients {

/// dK and dV of 64 keys.
template <class S>
struct KeyGradients {
  Gradient<S> dk, dv;

  __device__ void clear() {
#pragma unroll
    for (int i = 0; i < S::head_dim / 2; ++i) dk[i] = dv[i] = 0;
  }
};

/// One warpgroup. While it makes weights of scores the tensor cores form dP, while it makes dS of dP they form dV, and
/// while it hands over dQ they form dK. dQ needs the dS of both consumers: either they meet for it in every step, or it
/// is formed a step later, in which case they may be half a step apart and one's products run under the other's
/// softmax. All products are done at the end of a step: with some under way into the next the compiler would serialise
/// all.
template <class S>
struct ConsumerLoop {
  const Arguments& a;
  const SharedMemory<S>& shared;
  const int consumer;
  RingPosition<S::stages> ring{};

  __device__ __forceinline__ void run(const KeyTile& tile, KeyGradients<S>& keys) {
    const WholeTiles whole = whole_tiles(tile);
    fence_accumulators(keys.dk);  // they are set before the first products are under way
    fence_accumulators(keys.dv);
    for (int i = tile.first; i < tile.last; ++i) {
      const bool masked = i < whole.first || i >= whole.last;
      if constexpr (S::dq_later) {
        step_with_last_dq(tile, i, masked, keys);
      } else {
        step(tile, i, masked, keys);
      }
      wait_products<0>(keys.dk);
      release(shared.q_empty(ring.stage));
      ring.advance();
    }
    wait_products<0>(keys.dv);
    if constexpr (S::dq_later) finish_dq();
  }

 private:
  struct WholeTiles {
    int first, last;
  };

  __device__ bool elected() const { return threadIdx.x % warpgroup_size == 0; }
  /// What products read is free when they are done, which one thread knows for all.
  __device__ void release(Barrier empty) const {
    if (elected()) empty.arrive();
  }
  /// What warps read by ordinary loads is free when each of them says so.
  __device__ void release_by_warps(Barrier empty) const {
    __syncwarp();
    if (threadIdx.x % warp_size == 0) empty.arrive();
  }
  __device__ std::uint32_t own(std::uint32_t keys) const { return keys + consumer * S::own_panel; }

  /// The query tiles of `tile` whose rows see all of its keys.
  __device__ WholeTiles whole_tiles(const KeyTile& tile) const {
    const Visibility& visible = a.visible;
    if (tile.key + S::keys > visible.keys) return {};
    const Count first = tile.key + S::keys - 1 - visible.shift - visible.right;  // the first row that sees the last key
    const Count last = tile.key - visible.shift + visible.left + 1;  // behind the last row that sees the first key
    return {first <= 0 ? 0 : static_cast<int>(first + S::rows - 1) / S::rows,
            last <= 0 ? 0 : static_cast<int>(last) / S::rows};
  }

  __device__ __forceinline__ void step(const KeyTile& tile, int i, bool masked, KeyGradients<S>& keys) {
    const int stage = ring.stage;
    Scores<S> dp;
    Weights<S> p, ds;
    start_weights(tile, i, masked, p, dp);
    accumulate<S>(keys.dv, p, shared.d_o(stage));
    wait_products<1>(dp);
    store_ds(ds, p, dp);
    named_barrier(BarrierNumber::scores_stored, S::consumers * warpgroup_size);
    QueryGradient dq;
    query_products<S>(dq, shared.ds(stage), shared.k(), consumer);
    accumulate<S>(keys.dk, ds, shared.q(stage));
    wait_products<1>(dq);
    release(shared.do_empty(stage));
    pass_on(dq);
  }

  /// The same with dQ of the query tile before. The first has none: its product is of whatever dS holds, and is
  /// dropped, since a branch around products would cost more.
  __device__ __forceinline__ void step_with_last_dq(const KeyTile& tile, int i, bool masked, KeyGradients<S>& keys) {
    const int stage = ring.stage;
    const RingPosition<S::stages> last = before();
    const bool has_last = i > tile.first;
    Scores<S> dp;
    Weights<S> p, ds;
    start_weights(tile, i, masked, p, dp);
    accumulate<S>(keys.dv, p, shared.d_o(stage));
    if (has_last) shared.ds_full(last.stage).wait(last.parity, "flash3_backward: dS");
    QueryGradient dq;
    query_products<S>(dq, shared.ds(last.stage), shared.k(), consumer);
    wait_products<2>(dp);
    shared.ds_empty(stage).wait(ring.parity ^ 1, "flash3_backward: an empty buffer of dS");
    store_ds(ds, p, dp);
    __syncwarp();
    if (threadIdx.x % warp_size == 0) shared.ds_full(stage).arrive();
    accumulate<S>(keys.dk, ds, shared.q(stage));
    wait_products<1>(dq);
    release_by_warps(shared.do_empty(stage));
    if (!has_last) return;
    release(shared.ds_empty(last.stage));
    pass_on(dq);
  }

  /// dQ of the last query tile.
  __device__ __forceinline__ void finish_dq() const {
    const RingPosition<S::stages> last = before();
    shared.ds_full(last.stage).wait(last.parity, "flash3_backward: the last dS");
    QueryGradient dq;
    query_products<S>(dq, shared.ds(last.stage), shared.k(), consumer);
    wait_products<0>(dq);
    release(shared.ds_empty(last.stage));
    pass_on(dq);
  }

  /// The step before the one at hand.
  __device__ RingPosition<S::stages> before() const {
    static_assert(S::stages == 2);
    return {.stage = ring.stage ^ 1, .parity = ring.parity ^ ring.stage ^ 1};
  }

  /// p, and dp on its way.
  __device__ __forceinline__ void start_weights(const KeyTile& tile, int i, bool masked, Weights<S>& p,
                                                Scores<S>& dp) const {
    const int stage = ring.stage;
    Scores<S> s;
    shared.q_full(stage).wait(ring.parity, "flash3_backward: Q");
    score_products<S>(s, own(shared.k()), shared.q(stage));
    shared.do_full(stage).wait(ring.parity, "flash3_backward: dO");
    score_products<S>(dp, own(shared.v()), shared.d_o(stage));
    wait_products<1>(s);
    if (masked) {
      const Lane at;
      mask<S>(s, a.visible, tile.key + consumer * S::own_keys + at.key(), i * S::rows + at.row());
    }
    probabilities<S>(s, shared.lse(stage), a.scale_log2);
    round<S>(p, s);
  }

  /// ds, also for the products with K.
  __device__ __forceinline__ void store_ds(Weights<S>& ds, const Weights<S>& p, const Scores<S>& dp) const {
    softmax_gradient<S>(ds, p, dp, shared.d(ring.stage));
    store_scores<S>(shared.ds(ring.stage), ds, consumer);
    fence_async_proxy();
  }

  /// Hands this consumer's part of dQ to the warp that adds it.
  __device__ void pass_on(const QueryGradient& dq) const {
    constexpr int pair = warpgroup_size + warp_size;
    named_barrier(BarrierNumber::dq_empty(consumer), pair);
    store_query_gradient(shared.dq(consumer), dq);
    fence_async_proxy();
    named_arrive(BarrierNumber::dq_full(consumer), pair);
  }
};

}  // namespace tilemeter::kernels::flash3_gradients
