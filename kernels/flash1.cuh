// FlashAttention-1 forward on the tensor cores, step by step; `flash1.cu` puts the steps together.
#pragma once

#include <cmath>

#include "kernels/flash1_products.cuh"

namespace tilemeter::kernels::flash1_steps {

/// The visits of one thread block: key tiles outside, its own row blocks inside.
template <class S>
class Walk {
 public:
  __device__ Walk(const Flash1Arguments<S>& a, int split)
      : a_(a), split_(split), key_tiles_(static_cast<int>((a.visible.keys + S::block_k - 1) / S::block_k)) {}

  __device__ Visit first() const { return from(0); }
  __device__ Visit after(const Visit& visit) const {
    const int next = visit.row_block + a_.splits;
    return next < visit.last ? Visit{visit.key_tile, next, visit.last} : from(visit.key_tile + 1);
  }
  __device__ bool ends(const Visit& visit) const { return visit.key_tile >= key_tiles_; }

 private:
  /// The first visit of the first key tile, from `key_tile` on, that has one.
  __device__ Visit from(int key_tile) const {
    for (; key_tile < key_tiles_; ++key_tile) {
      const Range met = visiting_row_blocks(a_.visible, key_tile, a_.row_blocks, S::block_q, S::block_k);
      const int first = static_cast<int>(met.first), last = static_cast<int>(met.last);
      const int behind = (first - split_) % a_.splits;
      const int own = behind == 0 ? first : first + (behind > 0 ? a_.splits : 0) - behind;
      if (own < last) return {key_tile, own, last};
    }
    return {key_tile, 0, 0};
  }

  const Flash1Arguments<S>& a_;
  int split_;
  int key_tiles_;
};

/// S = -infinity where the row does not see the key, or the tile has no such key.
template <class S>
__device__ void mask(Scores<S>& s, const Visibility& visible, Count row_begin, Count key_begin) {
  const Count keys = clamp(visible.keys - key_begin, 0, S::block_k);
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    hide_unseen(s, half, visible_keys(visible, row_begin + S::row(half), key_begin, keys));
  }
}

/// P = exp(scale S - m) over S, with the new l and m; `carried` is what the old O weighs, its l times what that shrinks
/// by. While a row has seen no key its m is -infinity, and 0 stands in for it in the exponents.
template <class S>
__device__ void softmax(Scores<S>& s, Statistics& rows, float (&carried)[2], float scale) {
  constexpr float log2_of_e = 1.4426950408889634f;
  const float scale_log2 = scale * log2_of_e;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    float largest = -INFINITY;
#pragma unroll
    for (const auto& sums : s) largest = fmaxf(largest, fmaxf(sums[half * 2], sums[half * 2 + 1]));
    const float m = fmaxf(rows.m[half], max_of_quad(largest) * scale);
    const float base = m == -INFINITY ? 0 : m * log2_of_e;
    float sum = 0;
#pragma unroll
    for (auto& sums : s) {
      sums[half * 2] = exp2_approximate(fmaf(sums[half * 2], scale_log2, -base));
      sums[half * 2 + 1] = exp2_approximate(fmaf(sums[half * 2 + 1], scale_log2, -base));
      sum += sums[half * 2] + sums[half * 2 + 1];
    }
    carried[half] = rows.l[half] * exp2_approximate(fmaf(rows.m[half], log2_of_e, -base));
    rows.l[half] = carried[half] + sum_of_quad(sum);
    rows.m[half] = m;
  }
}

/// P as A operands, rounded.
template <class S>
__device__ void round_weights(Fragment (&p)[S::k_pairs], const Scores<S>& s) {
  using T = typename S::T;
#pragma unroll
  for (int step = 0; step < S::k_pairs; ++step) {
    const Accumulator &left = s[2 * step], &right = s[2 * step + 1];
    p[step][0] = packed<T>(left[0], left[1]);
    p[step][1] = packed<T>(left[2], left[3]);
    p[step][2] = packed<T>(right[0], right[1]);
    p[step][3] = packed<T>(right[2], right[3]);
  }
}

template <class S>
__device__ void scale_rows(Output<S>& o, const float (&factors)[2]) {
#pragma unroll
  for (auto& sums : o) {
    sums[0] *= factors[0];
    sums[1] *= factors[0];
    sums[2] *= factors[1];
    sums[3] *= factors[1];
  }
}

/// O = diag(l)^-1 O; rows that have seen no key keep O = 0.
template <class S>
__device__ void normalise(Output<S>& o, const Statistics& rows) {
  const float factors[2] = {rows.l[0] == 0 ? 0 : 1 / rows.l[0], rows.l[1] == 0 ? 0 : 1 / rows.l[1]};
  scale_rows<S>(o, factors);
}

/// K and V of a key tile, for all warps; whoever still read the last ones is waited for.
template <class S, class Counters>
__device__ void load_keys(const Flash1Arguments<S>& a, const Tiles<S>& tiles, Count kv_stream, int key_tile,
                          Counters& counters) {
  const Count key_begin = Count{key_tile} * S::block_k;
  const Count from = (kv_stream * a.seq_k + key_begin) * S::head_dim;
  const Count valid = a.visible.keys - key_begin;
  __syncthreads();
  copy_rows<S::threads>(tiles.k(), a.k + from, S::head_dim, valid, TensorName::K, counters);
  copy_rows<S::threads>(tiles.v(), a.v + from, S::head_dim, valid, TensorName::V, counters);
  commit_copies();
  wait_for_copies<0>();
  if constexpr (S::by_warpgroup) fence_async_proxy();
  __syncthreads();
}

}  // namespace tilemeter::kernels::flash1_steps
