// The warps of flash3_backward's producer warpgroup: one copies tiles, one statistics, and one for each consumer adds
// dQ.
#pragma once

#include <cmath>

#include "kernels/flash3_backward_block.cuh"

namespace tilemeter::kernels::flash3_gradients {

/// Copies K and V of every key tile, and Q and dO of every query tile that visits it. One thread.
template <class S, class Counters>
__device__ void copy_tiles(const Arguments& a, const SharedMemory<S>& shared, Counters& counters) {
  RingPosition<S::stages> ring;
  int parity = 0;  // of the key tiles
  const Schedule<S> schedule{a};
  const auto copy_keys = [&](const KeyTile& tile, std::uint32_t to, const CUtensorMap& map, TensorName name) {
    load_rows(to, map, {tile.key, tile.stream / a.group}, shared.keys_full());
    counters.read(name, tile.keys * S::head_dim);
  };
  const auto copy_rows = [&](const KeyTile& tile, int i, std::uint32_t to, const CUtensorMap& map, Barrier full,
                             TensorName name) {
    full.arrive_expecting(S::row_bytes);
    load_rows(to, map, {i * S::rows, tile.stream}, full);
    counters.read(name, min(S::rows, a.seq_q - i * S::rows) * S::head_dim);
  };
  schedule.each([&](const KeyTile& tile) {
    if (!tile.visited()) return;
    counters.tiles(tile.last - tile.first);
    shared.keys_empty().wait(parity ^ 1, "flash3_backward: the place of K and V");
    parity ^= 1;
    shared.keys_full().arrive_expecting(2 * S::key_bytes);
    copy_keys(tile, shared.k(), a.k, TensorName::K);
#pragma unroll 1
    for (int i = tile.first; i < tile.last; ++i) {
      shared.q_empty(ring.stage).wait(ring.parity ^ 1, "flash3_backward: an empty stage of Q");
      copy_rows(tile, i, shared.q(ring.stage), a.q, shared.q_full(ring.stage), TensorName::Q);
      if (i == tile.first) copy_keys(tile, shared.v(), a.v, TensorName::V);
      shared.do_empty(ring.stage).wait(ring.parity ^ 1, "flash3_backward: an empty stage of dO");
      copy_rows(tile, i, shared.d_o(ring.stage), a.d_o, shared.do_full(ring.stage), TensorName::dO);
      ring.advance();
    }
  });
}

/// A lane's part of LSE or D of a query tile, on its way to shared memory.
template <class S>
struct LaneStatistics {
  float values[S::rows / warp_size];

  /// Rows that are not there get `otherwise`.
  template <class Counters>
  __device__ void read(const float* from, int rows, float otherwise, TensorName name, Counters& counters) {
#pragma unroll
    for (int i = 0; i < S::rows / warp_size; ++i) {
      const int row = i * warp_size + static_cast<int>(threadIdx.x % warp_size);
      values[i] = otherwise;
      if (row >= rows) continue;
      values[i] = __ldg(from + row);
      counters.read(name, 1);
    }
  }
  __device__ void store(std::uint32_t to) const {
#pragma unroll
    for (int i = 0; i < S::rows / warp_size; ++i) {
      const int row = i * warp_size + static_cast<int>(threadIdx.x % warp_size);
      store_float(to + row * 4, values[i]);
    }
  }
};

/// LSE as it stands in exponents of 2; rows without keys, and rows that are not there, get weights of 0 by infinity.
inline __device__ float exponent_of(float lse) {
  constexpr float log2_of_e = 1.4426950408889634F;
  return lse == -INFINITY ? INFINITY : lse * log2_of_e;
}

/// Brings LSE and D of every query tile. A warp; ordinary loads, since rows may begin at any address.
template <class S, class Counters>
__device__ void copy_statistics(const Arguments& a, const SharedMemory<S>& shared, Counters& counters) {
  RingPosition<S::stages> ring;
  const Schedule<S> schedule{a};
  const auto pass_on = [&](const LaneStatistics<S>& own, std::uint32_t to, Barrier full) {
    own.store(to);
    full.arrive();
  };
  schedule.each([&](const KeyTile& tile) {
#pragma unroll 1
    for (int i = tile.first; i < tile.last; ++i) {
      const int row = i * S::rows;
      const std::int64_t at = std::int64_t{tile.stream} * a.seq_q + row;
      LaneStatistics<S> lse, d;
      lse.read(a.lse + at, a.seq_q - row, INFINITY, TensorName::LSE, counters);
      d.read(a.d + at, a.seq_q - row, 0, TensorName::D, counters);
      for (float& value : lse.values) value = exponent_of(value);
      shared.q_empty(ring.stage).wait(ring.parity ^ 1, "flash3_backward: an empty stage of LSE");
      pass_on(lse, shared.lse(ring.stage), shared.q_full(ring.stage));
      shared.do_empty(ring.stage).wait(ring.parity ^ 1, "flash3_backward: an empty stage of D");
      pass_on(d, shared.d(ring.stage), shared.do_full(ring.stage));
      ring.advance();
    }
  });
}

/// Adds a consumer's part of dQ to device memory, query tile after query tile. A warp. When a key tile is done so are
/// its additions: those of the block's next one come later, in a fixed order.
template <class S, class Counters>
__device__ void add_dq(const Arguments& a, const SharedMemory<S>& shared, int consumer, Counters& counters) {
  const Schedule<S> schedule{a};
  const bool adding = threadIdx.x % warp_size == 0;
  constexpr int pair = warpgroup_size + warp_size;
  const int first_row = S::split_by_columns ? 0 : 64 * consumer;
  const int panel = S::split_by_columns ? 2 * consumer : 0;
  const int buffer = schedule.dq_buffer();
  schedule.each([&](const KeyTile& tile) {
#pragma unroll 1
    for (int i = tile.first; i < tile.last; ++i) {
      named_arrive(BarrierNumber::dq_empty(consumer), pair);
      named_barrier(BarrierNumber::dq_full(consumer), pair);
      if (adding) {
        const int row = i * S::rows + first_row;
        add_panels(a.dq, {row, buffer}, panel, shared.dq(consumer));
        commit_stores();
        const int elements = 64 * max(0, min(64, a.seq_q - row));
        counters.read(TensorName::dQacc, elements);
        counters.write(TensorName::dQacc, elements);
        wait_stores_read<0>();
      }
      __syncwarp();
    }
    if (adding) wait_stores();
    __syncwarp();
  });
}

}  // namespace tilemeter::kernels::flash3_gradients
