// The steps of flash2 on a tile of K and V, in a warp's registers.
#pragma once

#include "kernels/flash2_block.cuh"

namespace tilemeter::kernels::flash2_steps {

/// How far, in powers of two, a row's scores may exceed its reference m before m follows.
inline constexpr float slack = 8;

template <class S>
using Scores = Accumulator[S::row_tiles][S::k_pairs * 2];

/// Q as A operands, from registers or shared memory.
template <class S>
struct QFragments {
  Fragment kept[S::choices.q_in_registers ? S::q_steps : 1][S::row_tiles];
  unsigned lane;

  __device__ explicit QFragments(const typename S::QTile& tile)
      : lane(tile.lane_of_rows() + S::warp_row() * S::QTile::pitch) {}

  __device__ void load(Fragment (&to)[S::row_tiles], int step) const {
#pragma unroll
    for (int i = 0; i < S::row_tiles; ++i) load_matrices(to[i], S::QTile::moved(lane, i * 16, step * 2));
  }
  __device__ void keep() {
    if constexpr (S::choices.q_in_registers) {
#pragma unroll
      for (int step = 0; step < S::q_steps; ++step) load(kept[step], step);
    }
  }
};

/// S = Q K^T. The operands of the next product are on their way while this one's are multiplied.
template <class S>
__device__ void scores(Scores<S>& s, const QFragments<S>& q, unsigned k_lane) {
#pragma unroll
  for (auto& rows : s) {
#pragma unroll
    for (auto& sums : rows) sums[0] = sums[1] = sums[2] = sums[3] = 0;
  }
  Fragment read_q[2][S::row_tiles], k[2];
  const auto& from_memory = read_q;
  if constexpr (!S::choices.q_in_registers) q.load(read_q[0], 0);
  load_matrices(k[0], k_lane);
#pragma unroll
  for (int step = 0; step < S::q_steps; ++step) {
    if constexpr (!S::choices.q_in_registers) {
      if (step + 1 < S::q_steps) q.load(read_q[(step + 1) % 2], step + 1);
    }
#pragma unroll
    for (int pair = 0; pair < S::k_pairs; ++pair) {
      const int now = step * S::k_pairs + pair, next = now + 1;
      if (next < S::q_steps * S::k_pairs) {
        load_matrices(k[next % 2], S::KeyTile::moved(k_lane, next % S::k_pairs * 16, next / S::k_pairs * 2));
      }
#pragma unroll
      for (int i = 0; i < S::row_tiles; ++i) {
        const Fragment& a =
            S::choices.q_in_registers ? q.kept[S::choices.q_in_registers ? step : 0][i] : from_memory[step % 2][i];
        multiply_add<typename S::T>(s[i][2 * pair], a, k[now % 2][0], k[now % 2][1]);
        multiply_add<typename S::T>(s[i][2 * pair + 1], a, k[now % 2][2], k[now % 2][3]);
      }
    }
  }
}

/// S = -infinity where the row does not see the key, or the tile has no such key.
template <class S>
__device__ void mask(Scores<S>& s, const Visibility& visible, const Place& place, Count key_begin) {
  const Count keys = clamp(visible.keys - key_begin, 0, S::block_k);
#pragma unroll
  for (int i = 0; i < S::row_tiles; ++i) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      hide_unseen(s[i], half, visible_keys(visible, place.row_begin + S::row(i, half), key_begin, keys));
    }
  }
}

/// P = exp(scale (S - m)) over S, with the new m and l; `alpha` is what earlier sums shrink by. Any m gives the same O
/// and LSE, so it follows the maximum only when P would exceed 2^slack, and O is seldom rescaled. While a row has seen
/// no key its m is -infinity, and 0 stands in for it in the exponents.
template <class S>
__device__ void softmax(Scores<S>& s, State<S>& state, float (&alpha)[S::row_tiles][2], float scale_log2) {
#pragma unroll
  for (int i = 0; i < S::row_tiles; ++i) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      float m = state.m[i][half];
#pragma unroll
      for (const auto& sums : s[i]) m = fmaxf(m, fmaxf(sums[half * 2], sums[half * 2 + 1]));
      m = max_of_quad(m);
      const bool grows = (m - state.m[i][half]) * scale_log2 > slack;
      m = grows ? m : state.m[i][half];
      const float base = m == -INFINITY ? 0 : m * scale_log2;
      alpha[i][half] = grows ? exp2_approximate(state.m[i][half] * scale_log2 - base) : 1;
      state.m[i][half] = m;
      float sum = 0;
#pragma unroll
      for (auto& sums : s[i]) {
        sums[half * 2] = exp2_approximate(fmaf(sums[half * 2], scale_log2, -base));
        sums[half * 2 + 1] = exp2_approximate(fmaf(sums[half * 2 + 1], scale_log2, -base));
        sum += sums[half * 2] + sums[half * 2 + 1];
      }
      state.l[i][half] = state.l[i][half] * alpha[i][half] + sum;
    }
  }
}

/// O = diag(alpha) O.
template <class S>
__device__ void rescale(State<S>& state, const float (&alpha)[S::row_tiles][2]) {
#pragma unroll
  for (int i = 0; i < S::row_tiles; ++i) {
#pragma unroll
    for (auto& sums : state.o[i]) {
      sums[0] *= alpha[i][0];
      sums[1] *= alpha[i][0];
      sums[2] *= alpha[i][1];
      sums[3] *= alpha[i][1];
    }
  }
}

/// The same, where the tiling says so only if it changes something in the warp. The branch saves the products, but the
/// compiler no longer mixes what stands before it with what stands behind.
template <class S>
__device__ void rescale_if_needed(State<S>& state, const float (&alpha)[S::row_tiles][2]) {
  if constexpr (S::choices.may_skip_rescale) {
    bool changes = false;
#pragma unroll
    for (const auto& rows : alpha) changes = changes || rows[0] != 1 || rows[1] != 1;
    if (!__any_sync(~0u, changes)) return;
  }
  rescale<S>(state, alpha);
}

/// O = O + P V. Accumulators of S are the A operand of this product, once rounded.
template <class S>
__device__ void accumulate(State<S>& state, const Scores<S>& p, unsigned v_lane) {
  using T = typename S::T;
  Fragment v[2];
  load_matrices_transposed(v[0], v_lane);
#pragma unroll
  for (int step = 0; step < S::k_pairs; ++step) {
    Fragment a[S::row_tiles];
#pragma unroll
    for (int i = 0; i < S::row_tiles; ++i) {
      const Accumulator &left = p[i][2 * step], &right = p[i][2 * step + 1];
      a[i][0] = packed<T>(left[0], left[1]);
      a[i][1] = packed<T>(left[2], left[3]);
      a[i][2] = packed<T>(right[0], right[1]);
      a[i][3] = packed<T>(right[2], right[3]);
    }
#pragma unroll
    for (int pair = 0; pair < S::o_pairs; ++pair) {
      const int now = step * S::o_pairs + pair, next = now + 1;
      if (next < S::k_pairs * S::o_pairs) {
        load_matrices_transposed(v[next % 2], S::KeyTile::moved(v_lane, next / S::o_pairs * 16, next % S::o_pairs * 2));
      }
#pragma unroll
      for (int i = 0; i < S::row_tiles; ++i) {
        multiply_add<T>(state.o[i][2 * pair], a[i], v[now % 2][0], v[now % 2][1]);
        multiply_add<T>(state.o[i][2 * pair + 1], a[i], v[now % 2][2], v[now % 2][3]);
      }
    }
  }
}

/// O = O / l and m = LSE = scale m + log l; rows without keys get O = 0 and the LSE asked for.
template <class S>
__device__ void finish(State<S>& state, float scale_log2, float empty_lse) {
  constexpr float log_of_2 = 0.6931471805599453f;
  float reciprocal[S::row_tiles][2];
#pragma unroll
  for (int i = 0; i < S::row_tiles; ++i) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const float l = sum_of_quad(state.l[i][half]);
      const bool empty = l == 0;
      reciprocal[i][half] = empty ? 0 : 1 / l;
      state.m[i][half] = empty ? empty_lse : state.m[i][half] * (scale_log2 * log_of_2) + logf(l);
    }
  }
  rescale<S>(state, reciprocal);
}

}  // namespace tilemeter::kernels::flash2_steps
