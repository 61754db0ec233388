// The steps of flash3 on 64 rows, in the registers of a warpgroup.
#pragma once

#include "kernels/flash3_fp8.cuh"
#include "kernels/masked_sums.cuh"

namespace tilemeter::kernels::flash3_steps {

/// How far, in powers of two, a row's scores may exceed its reference before the reference follows.
inline constexpr float slack = 8;
/// What a thread's weights of a row may add up to in one tile before the reference follows all the same: they must be
/// numbers of the operands' type.
template <class S>
inline constexpr float largest_sum = S::fp8 ? 448 : 32768;
/// How far, in powers of two, the reference lies below the maximum that it follows. e4m3 has numbers from 2^-9 up to
/// 448.
template <class S>
inline constexpr float headroom = S::fp8 ? 6 : 0;

template <class S>
using Scores = float[S::block_k / 2];

/// P, rounded, as the A operands of P V: one for every 16 keys, or 32 of 8 bits.
template <class S>
using Weights = Fragment[S::block_k / (S::fp8 ? 32 : 16)];

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
  if constexpr (S::fp8) {
    start_fp8_scores<S>(s, q_tile, k_tile);
  } else {
    start_row_products<typename S::T, S::block_k, S::head_dim>(s, q_tile, S::q_panel, k_tile, S::kv_panel);
  }
}

/// Starts O += P V.
template <class S>
__device__ void start_accumulating(State<S>& state, const Weights<S>& p, std::uint32_t v_tile) {
  if constexpr (S::fp8) {
    start_fp8_weighted_sum<S>(state.o, p, v_tile);
  } else {
    start_weighted_sum<typename S::T, S::head_dim>(state.o, p, v_tile, S::kv_panel);
  }
}

/// S = -infinity where the row does not see the key, or the tile has no such key.
template <class S>
__device__ void mask(Scores<S>& s, const Flash3Arguments& a, int group_row, int key_begin) {
  const int thread = thread_read_anew();
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int row = group_row + first_row(thread) + half * 8 - key_begin;
    const int first = row + a.first_key, end = min(row + a.end_key, a.keys - key_begin);
    if constexpr (S::fp8) {
      hide_unseen_fp8<S>(s, half, thread, first, end);
    } else {
      hide_unseen(s, half, thread, first, end);
    }
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
    const float reference = highest - headroom<S>;
    state.m[half] = grows ? reference : old;
    alpha[half] = grows ? exp2_approximate(old - reference) : 1;
    state.l[half] = state.l[half] * alpha[half] + exponentials<S>(s, half, state.m[half], factor);
  }
}

/// By which power of two the reference of a row follows its weights: those of 16 bits become at most 2. A lane's
/// weights of 8 bits add up to less than 256 after that, so that even equal ones are not followed in every tile.
template <class S>
__device__ int excess(const Scores<S>& s, float sum, int half) {
  if constexpr (S::fp8) {
    return ilogb_of(fmaxf(128, max_of_quad(sum))) - 7;
  } else {
    return ilogb_of(fmaxf(1, maximum<S>(s, half)));
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
  if (!__all_sync(~0u, sums[0] <= largest_sum<S> && sums[1] <= largest_sum<S>)) {
    if (!__all_sync(~0u, sums[0] < INFINITY && sums[1] < INFINITY)) return Weighed::lost;
    weighed = Weighed::rescaled;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int exponent = excess<S>(s, sums[half], half);
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
  constexpr int pair = 2 / sizeof(typename S::T);  // elements of 16 bits
  using QTile = SwizzledTile<S::group_rows, S::head_dim / pair, Spans::by_panel>;
  const int thread = thread_read_anew(), lane = thread % warp_size;
  const unsigned q_lane = QTile{q_tile}.at(thread / warp_size % 4 * 16 + lane % 16, lane / 16);
#pragma unroll
  for (int n = 0; n < S::block_k / 8; ++n) {
    Accumulator sums = {};
    const int key = S::fp8 ? fp8_key<S>(n * 8 + lane / 4) : n * 8 + lane / 4;
    const auto* words = reinterpret_cast<const unsigned*>(k + key * S::head_dim) + lane % 4;
#pragma unroll 1
    for (int chunk = 0; chunk < S::head_dim / pair / 8; chunk += 2) {
      Fragment q;
      load_matrices(q, QTile::moved(q_lane, 0, chunk));
      if constexpr (S::fp8) {
        add_fp8_products(sums, q, words[chunk * 4], words[chunk * 4 + 4]);
      } else {
        multiply_add<typename S::T>(sums, q, words[chunk * 4], words[chunk * 4 + 4]);
      }
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) s[4 * n + i] = sums[i];
  }
}

/// Accumulators of S are the A operands of P V, once rounded.
template <class S>
__device__ void round_weights(Weights<S>& p, const Scores<S>& s) {
  if constexpr (S::fp8) {
    round_weights_to_fp8<S>(p, s);
  } else {
#pragma unroll
    for (int i = 0; i < S::block_k / 4; ++i) p[i / 4][i % 4] = packed<typename S::T>(s[2 * i], s[2 * i + 1]);
  }
}

/// O = diag(alpha) O.
template <class S>
__device__ void rescale(State<S>& state, const float (&alpha)[2]) {
#pragma unroll
  for (int i = 0; i < S::head_dim / 2; ++i) state.o[i] *= alpha[i / 2 % 2];
}

/// O = O / l, times a scale, and m = LSE = m log 2 + log l; rows without keys get O = 0 and the LSE asked for.
template <class S>
__device__ void finish(State<S>& state, float empty_lse, float scale) {
  constexpr float log_of_2 = 0.6931471805599453f;
  float reciprocal[2];
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const float l = sum_of_quad(state.l[half]);
    const bool empty = l == 0;
    reciprocal[half] = empty ? 0 : scale / l;
    state.m[half] = empty ? empty_lse : state.m[half] * log_of_2 + logf(l);
  }
  rescale<S>(state, reciprocal);
}

}  // namespace tilemeter::kernels::flash3_steps
