// The steps of flash3 on 64 rows, in the registers of a warpgroup.
#pragma once

#include "kernels/flash3_block.cuh"
#include "kernels/masked_sums.cuh"

namespace tilemeter::kernels::flash3_steps {

/// How far, in powers of two, a row's scores may exceed its reference before the reference follows.
inline constexpr float slack = 8;
/// What a thread's weights of a row may add up to in one tile before the reference follows all the same: they must be
/// numbers of either type.
inline constexpr float largest_sum = 32768;

template <class S>
using Scores = float[S::block_k / 2];

/// P, rounded, as the A operands of P V: one for every 16 keys.
template <class S>
using Weights = Fragment[S::block_k / 16];

/// What a thread keeps of its two rows from tile to tile: O; m, the reference of the exponents, which are powers of
/// two; and in l the share of its own columns.
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
inline __device__ int first_row(int thread) { return thread / warp_size % 4 * 16 + thread % warp_size / 4; }

/// Starts S = Q K^T.
template <class S>
__device__ void start_scores(Scores<S>& s, std::uint32_t q_tile, std::uint32_t k_tile) {
  start_row_products<typename S::T, S::block_k, S::head_dim>(s, q_tile, S::q_panel, k_tile, S::kv_panel);
}

/// Starts O += P V.
template <class S>
__device__ void start_accumulating(State<S>& state, const Weights<S>& p, std::uint32_t v_tile) {
  start_weighted_sum<typename S::T, S::head_dim>(state.o, p, v_tile, S::kv_panel);
}

/// S = -infinity where the row does not see the key, or the tile has no such key.
template <class S>
__device__ void mask(Scores<S>& s, const Flash3Arguments& a, int group_row, int key_begin) {
  const int thread = thread_read_anew();
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int row = group_row + first_row(thread) + half * 8 - key_begin;
    hide_unseen(s, half, thread, row + a.first_key, min(row + a.end_key, a.keys - key_begin));
  }
}

/// The largest of this lane's scores of a row and its neighbours'.
template <class S>
__device__ float maximum(const Scores<S>& s, int half) {
  float even = -INFINITY, odd = -INFINITY;
#pragma unroll
  for (int n = 0; n < S::block_k / 8; ++n) {
    even = fmaxf(even, s[4 * n + 2 * half]);
    odd = fmaxf(odd, s[4 * n + 2 * half + 1]);
  }
  return max_of_quad(fmaxf(even, odd));
}

/// P = 2^(factor S - m) over S, for one row; the sum of this lane's. While a row has seen no key its m is -infinity,
/// and 0 stands in for it.
template <class S>
__device__ float exponentials(Scores<S>& s, int half, float m, float factor) {
  const float base = m == -INFINITY ? 0 : m;
  float even = 0, odd = 0;
#pragma unroll
  for (int n = 0; n < S::block_k / 8; ++n) {
    float &left = s[4 * n + 2 * half], &right = s[4 * n + 2 * half + 1];
    left = exp2_approximate(fmaf(left, factor, -base));
    right = exp2_approximate(fmaf(right, factor, -base));
    even += left;
    odd += right;
  }
  return even + odd;
}

/// 2^exponent, and the exponent of the largest power of two that is not above a positive number.
inline __device__ float power_of_two(int exponent) { return __int_as_float((127 + exponent) << 23); }
inline __device__ int ilogb_of(float value) { return (__float_as_int(value) >> 23) - 127; }

/// P over S with the new m and l; `alpha` is what earlier sums shrink by. Any m gives the same O and LSE, so it follows
/// the maximum only when P would exceed 2^slack, and O is seldom rescaled.
template <class S>
__device__ void softmax(Scores<S>& s, State<S>& state, float (&alpha)[2], float factor) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const float old = state.m[half], highest = maximum<S>(s, half) * factor;
    const bool grows = highest - old > slack;
    state.m[half] = grows ? highest : old;
    alpha[half] = grows ? exp2_approximate(old - highest) : 1;
    state.l[half] = state.l[half] * alpha[half] + exponentials<S>(s, half, state.m[half], factor);
  }
}

/// What became of a tile's weights.
enum class Weighed { as_before, rescaled, lost };

/// The same without a look at the maximum, for rows that have seen keys. When the weights of a row grow too large, its
/// reference and its weights move by a power of two. When they have left the range of floats, S is lost and l as it
/// was.
template <class S>
__device__ Weighed softmax_by_reference(Scores<S>& s, State<S>& state, float (&alpha)[2], float factor) {
  float sums[2];
#pragma unroll
  for (int half = 0; half < 2; ++half) sums[half] = exponentials<S>(s, half, state.m[half], factor);
  Weighed weighed = Weighed::as_before;
  if (!__all_sync(~0u, sums[0] <= largest_sum && sums[1] <= largest_sum)) {
    if (!__all_sync(~0u, sums[0] < INFINITY && sums[1] < INFINITY)) return Weighed::lost;
    weighed = Weighed::rescaled;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int exponent = ilogb_of(fmaxf(1, maximum<S>(s, half)));
      alpha[half] = power_of_two(-exponent);
      state.m[half] += static_cast<float>(exponent);
      state.l[half] *= alpha[half];
      sums[half] *= alpha[half];
#pragma unroll
      for (int n = 0; n < S::block_k / 8; ++n) {
        s[4 * n + 2 * half] *= alpha[half];
        s[4 * n + 2 * half + 1] *= alpha[half];
      }
    }
  }
#pragma unroll
  for (int half = 0; half < 2; ++half) state.l[half] += sums[half];
  return weighed;
}

/// This warp's rows of S = Q K^T by mma.sync, which it can do without the other warps, with K from device memory: its
/// stage belongs to the next tile already.
template <class S>
__device__ void scores_of_warp(Scores<S>& s, std::uint32_t q_tile, const typename S::T* k) {
  using QTile = SwizzledTile<S::group_rows, S::head_dim, Spans::by_panel>;
  const int thread = thread_read_anew(), lane = thread % warp_size;
  const unsigned q_lane = QTile{q_tile}.at(thread / warp_size % 4 * 16 + lane % 16, lane / 16);
  const typename S::T* own = k + lane / 4 * S::head_dim + lane % 4 * 2;
#pragma unroll
  for (int n = 0; n < S::block_k / 8; ++n) {
    Accumulator sums = {};
#pragma unroll 1
    for (int d = 0; d < S::head_dim; d += 16) {
      Fragment q;
      load_matrices(q, QTile::moved(q_lane, 0, d / 8));
      const auto* pairs = reinterpret_cast<const unsigned*>(own + n * 8 * S::head_dim + d);
      multiply_add<typename S::T>(sums, q, pairs[0], pairs[4]);
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) s[4 * n + i] = sums[i];
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

/// O = O / l and m = LSE = m log 2 + log l; rows without keys get O = 0 and the LSE asked for.
template <class S>
__device__ void finish(State<S>& state, float empty_lse) {
  constexpr float log_of_2 = 0.6931471805599453f;
  float reciprocal[2];
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const float l = sum_of_quad(state.l[half]);
    const bool empty = l == 0;
    reciprocal[half] = empty ? 0 : 1 / l;
    state.m[half] = empty ? empty_lse : state.m[half] * log_of_2 + logf(l);
  }
  rescale<S>(state, reciprocal);
}

}  // namespace tilemeter::kernels::flash3_steps
