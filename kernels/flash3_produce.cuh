// flash3's producers: a warp each for Q, K and V, of which one lane issues the copies.
#pragma once

#include "kernels/flash3_fp8.cuh"

namespace tilemeter::kernels::flash3_steps {

/// Keys of a tile that exist.
template <class S>
__device__ int keys_of(const Flash3Arguments& a, int tile) {
  return min(S::block_k, a.keys - tile * S::block_k);
}

/// Fetches a tile of K or V: all of it, or this block's part for all blocks of the cluster.
template <class S>
__device__ void load_keys(std::uint32_t to, const CUtensorMap& map, const MatrixRows& at, Barrier full) {
  full.arrive_expecting(S::kv_bytes);
  if constexpr (S::cluster > 1) {
    const int panel = block_of_cluster() * S::panels_fetched;
    load_panels(to + panel * S::kv_panel, map, at, panel, full, (1 << S::cluster) - 1);
  } else {
    load_rows(to, map, at, full);
  }
}

/// Fetches the key tiles of every query tile, the last first.
template <class S, class Counters>
__device__ void produce_k(const Flash3Arguments& a, const SharedMemory<S>& shared, Counters& counters) {
  RingPosition<S::stages> ring;
  for (Schedule<S> schedule(a); schedule.has_tile(); schedule.advance()) {
    const QueryTile own = schedule.tile();
    for (int tile = own.last - 1; tile >= own.first; --tile) {
      shared.k_empty(ring.stage).wait(ring.parity ^ 1, "flash3: an empty stage of K");
      const MatrixRows rows{tile * S::block_k, own.kv_stream};
      if constexpr (S::fp8) {
        load_fp8_keys<S>(shared.k(ring.stage), a, rows, shared.k_full(ring.stage));
      } else {
        load_keys<S>(shared.k(ring.stage), a.k, rows, shared.k_full(ring.stage));
      }
      counters.read(TensorName::K, keys_of<S>(a, tile) * S::head_dim);
      counters.tile();
      ring.advance();
    }
  }
}

template <class S, class Counters>
__device__ void produce_v(const Flash3Arguments& a, const SharedMemory<S>& shared, Counters& counters) {
  RingPosition<S::stages> ring;
  for (Schedule<S> schedule(a); schedule.has_tile(); schedule.advance()) {
    const QueryTile own = schedule.tile();
    for (int tile = own.last - 1; tile >= own.first; --tile) {
      shared.v_empty(ring.stage).wait(ring.parity ^ 1, "flash3: an empty stage of V");
      const MatrixRows rows{tile * S::block_k, own.kv_stream};
      if constexpr (S::fp8) {
        load_fp8_values<S>(shared.v(ring.stage), a.v, rows, shared.v_full(ring.stage));
      } else {
        load_keys<S>(shared.v(ring.stage), a.v, rows, shared.v_full(ring.stage));
      }
      counters.read(TensorName::V, keys_of<S>(a, tile) * S::head_dim);
      ring.advance();
    }
  }
}

/// Fetches the rows of Q of each consumer. O leaves by way of the same memory, so a tile that visits no keys is handed
/// over, too, without being read.
template <class S, class Counters>
__device__ void produce_q(const Flash3Arguments& a, const SharedMemory<S>& shared, Counters& counters) {
  RingPosition<S::choices.q_buffers> ring;
  for (Schedule<S> schedule(a); schedule.has_tile(); schedule.advance(), ring.advance()) {
    const QueryTile own = schedule.tile();
    for (int consumer = 0; consumer < S::consumers; ++consumer) {
      const Barrier full = shared.q_full(consumer, ring.stage);
      shared.q_empty(consumer, ring.stage).wait(ring.parity ^ 1, "flash3: an empty tile of Q");
      if (own.empty()) {
        full.arrive();
        continue;
      }
      const int row = own.row + consumer * S::group_rows;
      full.arrive_expecting(S::q_bytes);
      if constexpr (S::fp8) {
        load_fp8_queries<S>(shared.q(consumer, ring.stage), a.q, {row, own.stream}, full);
      } else {
        load_rows(shared.q(consumer, ring.stage), a.q, {row, own.stream}, full);
      }
      counters.read(TensorName::Q, max(0, min(S::group_rows, a.seq_q - row)) * S::head_dim);
    }
  }
}

/// What the warps of the producers do.
template <class S, class Counters>
__device__ void produce(const Flash3Arguments& a, const SharedMemory<S>& shared, Counters& counters) {
  if (threadIdx.x % warp_size == 0) {
    switch (threadIdx.x / warp_size) {
      case 0:
        prefetch(a.k);
        produce_k(a, shared, counters);
        break;
      case 1:
        prefetch(a.q);
        produce_q(a, shared, counters);
        break;
      case 2:
        prefetch(a.v);
        produce_v(a, shared, counters);
        break;
      default:
        prefetch(a.o);
    }
  }
  __syncwarp();
}

}  // namespace tilemeter::kernels::flash3_steps
