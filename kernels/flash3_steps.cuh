// The steps of flash3 on 64 rows, in the registers of a warpgroup.
#pragma once

#include "kernels/flash3_block.cuh"
#include "kernels/masked_sums.cuh"

namespace tilemeter::kernels::flash3_steps {

/// How far, in powers of two, a row's scores may exceed its reference m before m follows.
inline constexpr float slack = 8;

template <class S>
using Scores = float[S::block_k / 2];

/// P, rounded, as the A operands of P V: one for every 16 keys.
template <class S>
using Weights = Fragment[S::block_k / 16];

/// What a thread keeps of its two rows from tile to tile: O, the reference m of the exponents, and in l the share of
/// its own columns.
template <class S>
struct State {
  float o[S::head_dim / 2];
  float m[2];
  float l[2];

  __device__ void clear() {
#pragma unroll
    for (int i = 0; i < S::head_dim / 2; ++i) o[i] = 0;
    m[0] = m[1] = -INFINITY;
    l[0] = l[1] = 0;
  }
};

/// This lane's first row of its warpgroup's 64; the other is 8 below.
inline __device__ int first_row() { return threadIdx.x / warp_size % 4 * 16 + threadIdx.x % warp_size / 4; }

/// Starts S = Q K^T.
template <class S>
__device__ void start_scores(Scores<S>& s, std::uint32_t q_tile, std::uint32_t k_tile) {
  fence_accumulators(s);
#pragma unroll
  for (int d = 0; d < S::head_dim; d += 16) {
    const Descriptor q = from_k<Major::k>(k_major(q_tile + d / 64 * S::q_panel), d % 64);
    const Descriptor k = from_k<Major::k>(k_major(k_tile + d / 64 * S::kv_panel), d % 64);
    multiply_add<typename S::T, S::block_k, Major::k, Major::k>(s, q, k, d > 0);
  }
  commit_products();
}

/// Starts O += P V.
template <class S>
__device__ void start_accumulating(State<S>& state, const Weights<S>& p, std::uint32_t v_tile) {
  const Descriptor v = mn_major(v_tile, S::kv_panel);
  fence_accumulators(state.o);
#pragma unroll
  for (int step = 0; step < S::block_k / 16; ++step) {
    multiply_add<typename S::T, S::head_dim, Major::mn>(state.o, p[step], from_k<Major::mn>(v, step * 16), true);
  }
  commit_products();
}

/// S = -infinity where the row does not see the key, or the tile has no such key.
template <class S>
__device__ void mask(Scores<S>& s, const Visibility& visible, int row, int key_begin) {
  const Count keys = clamp(visible.keys - key_begin, 0, S::block_k);
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    hide_unseen(s, half, visible_keys(visible, row + first_row() + half * 8, key_begin, keys));
  }
}

/// The largest of this lane's scores of a row, and m.
template <class S>
__device__ float maximum(const Scores<S>& s, int half, float m) {
  float even = m, odd = m;
#pragma unroll
  for (int n = 0; n < S::block_k / 8; ++n) {
    even = fmaxf(even, s[4 * n + 2 * half]);
    odd = fmaxf(odd, s[4 * n + 2 * half + 1]);
  }
  return max_of_quad(fmaxf(even, odd));
}

/// P = exp(scale (S - m)) over S, with the new m and l; `alpha` is what earlier sums shrink by. Any m gives the same O
/// and LSE, so it follows the maximum only when P would exceed 2^slack, and O is seldom rescaled. While a row has seen
/// no key its m is -infinity, and 0 stands in for it in the exponents.
template <class S>
__device__ void softmax(Scores<S>& s, State<S>& state, float (&alpha)[2], float scale_log2) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const float old = state.m[half], highest = maximum<S>(s, half, old);
    const bool grows = (highest - old) * scale_log2 > slack;
    const float m = grows ? highest : old;
    const float base = m == -INFINITY ? 0 : m * scale_log2;
    alpha[half] = grows ? exp2_approximate(old * scale_log2 - base) : 1;
    state.m[half] = m;
    float even = 0, odd = 0;
#pragma unroll
    for (int n = 0; n < S::block_k / 8; ++n) {
      float &left = s[4 * n + 2 * half], &right = s[4 * n + 2 * half + 1];
      left = exp2_approximate(fmaf(left, scale_log2, -base));
      right = exp2_approximate(fmaf(right, scale_log2, -base));
      even += left;
      odd += right;
    }
    state.l[half] = state.l[half] * alpha[half] + (even + odd);
  }
}

/// Accumulators of S are the A operands of P V, once rounded.
template <class S>
__device__ void round_weights(Weights<S>& p, const Scores<S>& s) {
#pragma unroll
  for (int i = 0; i < S::block_k / 4; ++i) p[i / 4][i % 4] = packed<typename S::T>(s[2 * i], s[2 * i + 1]);
}

/// O = diag(alpha) O.
template <class S>
__device__ void rescale(State<S>& state, const float (&alpha)[2]) {
#pragma unroll
  for (int i = 0; i < S::head_dim / 2; ++i) state.o[i] *= alpha[i / 2 % 2];
}

/// The same, if it changes something in the warp.
template <class S>
__device__ void rescale_if_needed(State<S>& state, const float (&alpha)[2]) {
  if (__any_sync(~0u, alpha[0] != 1 || alpha[1] != 1)) rescale<S>(state, alpha);
}

/// O = O / l and m = LSE = scale m + log l; rows without keys get O = 0 and the LSE asked for.
template <class S>
__device__ void finish(State<S>& state, float scale_log2, float empty_lse) {
  constexpr float log_of_2 = 0.6931471805599453f;
  float reciprocal[2];
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const float l = sum_of_quad(state.l[half]);
    const bool empty = l == 0;
    reciprocal[half] = empty ? 0 : 1 / l;
    state.m[half] = empty ? empty_lse : state.m[half] * (scale_log2 * log_of_2) + logf(l);
  }
  rescale<S>(state, reciprocal);
}

}  // namespace tilemeter::kernels::flash3_steps
