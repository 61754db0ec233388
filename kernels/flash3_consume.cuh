// flash3's consumers: a warpgroup's way through the key tiles of its 64 rows.
#pragma once

#include "kernels/flash3_steps.cuh"

namespace tilemeter::kernels::flash3_steps {

/// Turns of the block's consumers at issuing products, so that one's softmax runs under the others' products.
template <class S>
class Turns {
 public:
  __device__ explicit Turns(int consumer) : consumer_(consumer) {
    if constexpr (taken) {
      if (consumer_ == S::consumers - 1) pass();
    }
  }
  __device__ void wait() const {
    if constexpr (taken) named_barrier(number(consumer_), 2 * warpgroup_size);
  }
  __device__ void pass() const {
    if constexpr (taken) named_arrive(number((consumer_ + 1) % S::consumers), 2 * warpgroup_size);
  }
  /// Takes the turn that nobody needs.
  __device__ void end() const {
    if constexpr (taken) {
      if (consumer_ == 0) wait();
    }
  }

 private:
  static constexpr bool taken = S::choices.ping_pong && S::consumers > 1;
  __device__ static int number(int consumer) { return 1 + S::consumers + consumer; }
  int consumer_;
};

/// What is looked at in a tile of scores: which keys a row sees, and their maximum; the maximum alone; or the reference
/// that is left of earlier tiles.
enum class Sight { careful, whole, by_reference };

template <class S, class Counters>
class Consumer {
 public:
  __device__ Consumer(const Flash3Arguments& a, const SharedMemory<S>& shared, int consumer, Counters& counters)
      : a_(a), shared_(shared), consumer_(consumer), counters_(counters), turns_(consumer) {}

  /// All query tiles of the block.
  __device__ void run() {
    for (Schedule<S> schedule(a_); schedule.has_tile(); schedule.advance()) {
      const QueryTile own = schedule.tile();
      scales_ = scales_of<S>(a_, own.kv_stream);
      State<S> state;
      state.clear();
      shared_.q_full(consumer_, q_ring_.stage).wait(q_ring_.parity, "flash3: a tile of Q");
      if (!own.empty()) attend(state, own);
      finish<S>(state, a_.empty_lse, scales_.output);
      store_lse(state, own);
      store_o(state, own);
      q_ring_.advance();
    }
    turns_.end();
    wait_stores();
  }

 private:
  static constexpr Sight plain_sight = S::choices.by_reference ? Sight::by_reference : Sight::whole;

  __device__ int row(const QueryTile& own) const { return own.row + consumer_ * S::group_rows; }
  __device__ bool speaks() const { return threadIdx.x % warpgroup_size == 0; }

  __device__ void attend(State<S>& state, const QueryTile& own) {
    Scores<S> s;
    Weights<S> p;
    int tile = own.last - 1;
    if constexpr (S::choices.overlap) {
      start_scores_of_next(s);
      finish_scores<0>(s);
      weigh<Sight::careful>(s, state, own, tile);
      round_weights<S>(p, s);
      --tile;
    }
    while (tile >= own.first) {
      for (; tile >= own.first && !own.is_plain(tile); --tile) step<Sight::careful>(state, s, p, own, tile);
      for (; tile >= own.first && own.is_plain(tile); --tile) step<plain_sight>(state, s, p, own, tile);
    }
    if constexpr (S::choices.overlap) {
      start_accumulating_next(state, p);
      finish_accumulation(state);
    }
  }

  template <Sight sight>
  __device__ void step(State<S>& state, Scores<S>& s, Weights<S>& p, const QueryTile& own, int tile) {
    if constexpr (S::choices.overlap) {
      overlapped_step<sight>(state, s, p, own, tile);
    } else {
      serial_step<sight>(state, s, p, own, tile);
    }
  }

  /// S of this tile and then O += P V of the one before; the softmax of S runs under the latter.
  template <Sight sight>
  __device__ void overlapped_step(State<S>& state, Scores<S>& s, Weights<S>& p, const QueryTile& own, int tile) {
    shared_.k_full(k_ring_.stage).wait(k_ring_.parity, "flash3: a tile of K");
    turns_.wait();
    start_scores<S>(s, shared_.q(consumer_, q_ring_.stage), shared_.k(k_ring_.stage));
    start_accumulating_next(state, p);
    turns_.pass();
    finish_scores<sight == Sight::careful ? 0 : 1>(s);  // masks need the registers of P
    const Alpha alpha = weigh<sight>(s, state, own, tile);
    finish_accumulation(state);
    round_weights<S>(p, s);
    if (alpha.changes) rescale<S>(state, alpha.of_row);
  }

  /// S of this tile, its softmax, and O += P V, one after the other.
  template <Sight sight>
  __device__ void serial_step(State<S>& state, Scores<S>& s, Weights<S>& p, const QueryTile& own, int tile) {
    turns_.wait();
    start_scores_of_next(s);
    turns_.pass();
    finish_scores<0>(s);
    const Alpha alpha = weigh<sight>(s, state, own, tile);
    round_weights<S>(p, s);
    if (alpha.changes) rescale<S>(state, alpha.of_row);
    start_accumulating_next(state, p);
    finish_accumulation(state);
  }

  /// What O shrinks by.
  struct Alpha {
    bool changes = false;  ///< anything in the warp
    float of_row[2] = {1, 1};
  };

  /// P over S.
  template <Sight sight>
  __device__ Alpha weigh(Scores<S>& s, State<S>& state, const QueryTile& own, int tile) {
    Alpha alpha;
    if constexpr (sight == Sight::by_reference) {
      const Weighed weighed = softmax_by_reference<S>(s, state, alpha.of_row, scales_.exponent);
      alpha.changes = weighed == Weighed::rescaled;
      if (weighed != Weighed::lost) return alpha;
      wait_products<0>(s);  // for the registers of P
      fetch_scores_again(s, own, tile);
    }
    if constexpr (sight == Sight::careful) mask<S>(s, a_, row(own), tile * S::block_k);
    softmax<S>(s, state, alpha.of_row, scales_.exponent);
    alpha.changes = __any_sync(~0u, alpha.of_row[0] != 1 || alpha.of_row[1] != 1);
    return alpha;
  }

  /// S of a whole tile for this warp, from device memory: what the simulator does not bill, and data seldom ask for.
  __device__ void fetch_scores_again(Scores<S>& s, const QueryTile& own, int tile) {
    const Count key = Count{own.kv_stream} * a_.seq_k + Count{tile} * S::block_k;
    const auto* k = static_cast<const typename S::T*>(a_.k_memory) + key * S::head_dim;
    scores_of_warp<S>(s, shared_.q(consumer_, q_ring_.stage), k);
    if (thread_read_anew() % warp_size == 0) {  // braces, so that the kernel without counter calls compiles, too
      counters_.read(TensorName::K, S::block_k * S::head_dim);
    }
  }

  /// Tells all producers that fill a stage that this warp has read it.
  __device__ void release(Barrier empty) const {
    if constexpr (S::cluster > 1) {
      if (const int block = threadIdx.x % warp_size; block < S::cluster) empty.arrive_at(block);
    } else {
      if (threadIdx.x % warp_size == 0) empty.arrive();
    }
  }
  __device__ void start_scores_of_next(Scores<S>& s) {
    shared_.k_full(k_ring_.stage).wait(k_ring_.parity, "flash3: a tile of K");
    start_scores<S>(s, shared_.q(consumer_, q_ring_.stage), shared_.k(k_ring_.stage));
  }
  template <int Pending>
  __device__ void finish_scores(Scores<S>& s) {
    wait_products<Pending>(s);
    release(shared_.k_empty(k_ring_.stage));
    k_ring_.advance();
  }
  __device__ void start_accumulating_next(State<S>& state, const Weights<S>& p) {
    shared_.v_full(v_ring_.stage).wait(v_ring_.parity, "flash3: a tile of V");
    start_accumulating<S>(state, p, shared_.v(v_ring_.stage));
  }
  __device__ void finish_accumulation(State<S>& state) {
    wait_products<0>(state.o);
    release(shared_.v_empty(v_ring_.stage));
    v_ring_.advance();
  }

  __device__ void store_lse(const State<S>& state, const QueryTile& own) {
    const int thread = thread_read_anew();
    if (thread % 4 != 0) return;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int at = row(own) + first_row(thread) + half * 8;
      if (at >= a_.seq_q) continue;
      a_.lse[Count{own.stream} * a_.seq_q + at] = state.m[half];
      counters_.write(TensorName::LSE, 1);
    }
  }

  /// Rounded O takes the place of Q, or its own, and leaves from there; then the next query tile may come.
  __device__ void store_o(const State<S>& state, const QueryTile& own) {
    const std::uint32_t tile = shared_.o(consumer_, q_ring_.stage);
    if constexpr (S::fp8) vacate();
#pragma unroll
    for (int panel = 0; panel < S::o_panels; ++panel) {
      store_panel<typename S::Output>(tile + panel * S::o_panel, state.o, panel * 32);
    }
    fence_async_proxy();
    named_barrier(1 + consumer_, warpgroup_size);
    if (!speaks()) return;
    store_rows(a_.o, {row(own), own.stream}, tile);
    commit_stores();
    counters_.write(TensorName::O, max(0, min(S::group_rows, a_.seq_q - row(own))) * S::head_dim);
    if constexpr (S::fp8) return;
    wait_stores_read<0>();
    shared_.q_empty(consumer_, q_ring_.stage).arrive();
  }

  /// Waits until the tile before this one has left, and gives Q back, which no warp reads any more.
  __device__ void vacate() const {
    if (speaks()) wait_stores_read<0>();
    named_barrier(1 + consumer_, warpgroup_size);
    if (speaks()) shared_.q_empty(consumer_, q_ring_.stage).arrive();
  }

  const Flash3Arguments& a_;
  const SharedMemory<S>& shared_;
  int consumer_;
  Counters& counters_;
  Turns<S> turns_;
  Scales scales_{};  ///< of the query tile
  RingPosition<S::stages> k_ring_, v_ring_;
  RingPosition<S::choices.q_buffers> q_ring_;
};

}  // namespace tilemeter::kernels::flash3_steps
