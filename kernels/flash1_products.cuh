// The products of FlashAttention-1: with wgmma where there is one, else with mma.sync.
#pragma once

#include "kernels/flash1_rows.cuh"
#include "kernels/wgmma.cuh"

namespace tilemeter::kernels::flash1_steps {

template <class S>
using Scores = Accumulator[S::k_pairs * 2];

namespace by_warp {

/// The operands of the next product are on their way while this one's are multiplied.
template <class S>
__device__ void scores(Scores<S>& s, const Fragment (&q)[S::q_steps], unsigned k_lane) {
#pragma unroll
  for (auto& sums : s) sums[0] = sums[1] = sums[2] = sums[3] = 0;
  Fragment k[2];
  load_matrices(k[0], k_lane);
#pragma unroll
  for (int step = 0; step < S::q_steps; ++step) {
#pragma unroll
    for (int pair = 0; pair < S::k_pairs; ++pair) {
      const int now = step * S::k_pairs + pair, next = now + 1;
      if (next < S::q_steps * S::k_pairs) {
        load_matrices(k[next % 2], S::KeyTile::moved(k_lane, next % S::k_pairs * 16, next / S::k_pairs * 2));
      }
      multiply_add<typename S::T>(s[2 * pair], q[step], k[now % 2][0], k[now % 2][1]);
      multiply_add<typename S::T>(s[2 * pair + 1], q[step], k[now % 2][2], k[now % 2][3]);
    }
  }
}

template <class S>
__device__ void accumulate(Output<S>& o, const Fragment (&p)[S::k_pairs], unsigned v_lane) {
  Fragment v[2];
  load_matrices_transposed(v[0], v_lane);
#pragma unroll
  for (int step = 0; step < S::k_pairs; ++step) {
#pragma unroll
    for (int pair = 0; pair < S::o_pairs; ++pair) {
      const int now = step * S::o_pairs + pair, next = now + 1;
      if (next < S::k_pairs * S::o_pairs) {
        load_matrices_transposed(v[next % 2], S::KeyTile::moved(v_lane, next / S::o_pairs * 16, next % S::o_pairs * 2));
      }
      multiply_add<typename S::T>(o[2 * pair], p[step], v[now % 2][0], v[now % 2][1]);
      multiply_add<typename S::T>(o[2 * pair + 1], p[step], v[now % 2][2], v[now % 2][3]);
    }
  }
}

}  // namespace by_warp

/// The block is a warpgroup, whose warps have 16 rows each: the tile in shared memory is read once for all of them.
namespace by_warpgroup {

/// The accumulators of a product of N columns in the order of wgmma.
template <int N>
using Sums = float[N / 2];

template <class S>
__device__ void scores(Scores<S>& s, const Fragment (&q)[S::q_steps], const typename S::KeyTile& k) {
  auto& sums = reinterpret_cast<Sums<S::block_k>&>(s);
  __syncwarp();
  fence_accumulators(sums);
#pragma unroll
  for (int step = 0; step < S::q_steps; ++step) {
    const Descriptor panel = k_major(k.base + step / 4 * S::KeyTile::panel);
    multiply_add<typename S::T, S::block_k, Major::k>(sums, q[step], from_k<Major::k>(panel, step % 4 * 16), step > 0);
  }
  commit_products();
  wait_products<0>(sums);
}

template <class S>
__device__ void accumulate(Output<S>& o, const Fragment (&p)[S::k_pairs], const typename S::KeyTile& v) {
  auto& sums = reinterpret_cast<Sums<S::head_dim>&>(o);
  const Descriptor tile = mn_major(v.base, S::KeyTile::panel);
  __syncwarp();
  fence_accumulators(sums);
#pragma unroll
  for (int step = 0; step < S::k_pairs; ++step) {
    multiply_add<typename S::T, S::head_dim, Major::mn>(sums, p[step], from_k<Major::mn>(tile, step * 16), true);
  }
  commit_products();
  wait_products<0>(sums);
}

}  // namespace by_warpgroup

/// S = Q K^T.
template <class S>
__device__ void scores(Scores<S>& s, const Fragment (&q)[S::q_steps], const typename S::KeyTile& k) {
  if constexpr (S::by_warpgroup) {
    by_warpgroup::scores<S>(s, q, k);
  } else {
    by_warp::scores<S>(s, q, k.lane_of_columns());
  }
}

/// O = O + P V.
template <class S>
__device__ void accumulate(Output<S>& o, const Fragment (&p)[S::k_pairs], const typename S::KeyTile& v) {
  if constexpr (S::by_warpgroup) {
    by_warpgroup::accumulate<S>(o, p, v);
  } else {
    by_warp::accumulate<S>(o, p, v.lane_of_rows());
  }
}

}  // namespace tilemeter::kernels::flash1_steps
