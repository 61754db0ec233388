// The steps of flash3_backward's consumers, named as the phases of the simulator's are.
#pragma once

#include "kernels/flash3_backward_block.cuh"

namespace tilemeter::kernels::flash3_gradients {

/// One 64 x rows part of S^T or dP^T: 64 keys of a consumer by the query rows of a tile, in wgmma's layout.
template <class S>
using Scores = float[S::rows / 2];
/// The same as the left operand of a product: a fragment for every 16 query rows.
template <class S>
using Weights = Fragment[S::rows / 16];
/// 64 x head_dim part of dK or dV.
template <class S>
using Gradient = float[S::head_dim / 2];
/// 64 x 64 part of dQ.
using QueryGradient = float[32];

/// c = A B^T over the head dimension: `own` are this consumer's 64 rows of K or V, `tile` is a tile of Q or dO.
template <class S>
__device__ __forceinline__ void score_products(Scores<S>& c, std::uint32_t own, std::uint32_t tile) {
  start_row_products<typename S::Element, S::rows, S::head_dim>(c, own, S::key_panel, tile, S::row_panel);
}

/// gradient += weights B over the query rows, where B is a tile of Q or dO.
template <class S>
__device__ __forceinline__ void accumulate(Gradient<S>& gradient, const Weights<S>& weights, std::uint32_t tile) {
  start_weighted_sum<typename S::Element, S::head_dim>(gradient, weights, tile, S::row_panel);
}

/// dq = dS K over the keys of both consumers.
template <class S>
__device__ __forceinline__ void query_products(QueryGradient& dq, std::uint32_t ds, std::uint32_t k_tile,
                                               int consumer) {
  const std::uint32_t own_rows = S::split_by_columns ? ds : ds + consumer * S::own_panel;
  const std::uint32_t own_columns = S::split_by_columns ? k_tile + consumer * S::key_panel : k_tile;
  fence_accumulators(dq);
#pragma unroll
  for (int k = 0; k < S::keys; k += 16) {
    const Descriptor a = from_k<Major::k>(k_major(own_rows + k / 64 * S::row_panel), k % 64);
    const Descriptor b = from_k<Major::mn>(mn_major(own_columns, S::key_panel), k);
    multiply_add<typename S::Element, 64, Major::k, Major::mn>(dq, a, b, k > 0);
  }
  commit_products();
}

/// Rounds accumulators to the fragments of a left operand, of which they have the layout.
template <class S>
__device__ __forceinline__ void round(Weights<S>& weights, const Scores<S>& c) {
#pragma unroll
  for (int k = 0; k < S::rows / 16; ++k) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      weights[k][i] = packed<typename S::Element>(c[8 * k + 2 * i], c[8 * k + 2 * i + 1]);
    }
  }
}

/// Two neighbouring floats of shared memory.
inline __device__ float2 load_floats(std::uint32_t address) {
  float2 floats;
  asm volatile("ld.shared.v2.f32 {%0, %1}, [%2];" : "=f"(floats.x), "=f"(floats.y) : "r"(address) : "memory");
  return floats;
}

/// A lane's keys of a tile of S^T are these rows of the consumer's 64; its query rows are columns 8 j + these two.
struct Lane {
  int warp = threadIdx.x / warp_size % 4;
  int lane = threadIdx.x % warp_size;
  __device__ int key() const { return 16 * warp + lane / 4; }  ///< and eight on
  __device__ int row() const { return 2 * (lane % 4); }        ///< and the next
};

/// Sets to -infinity what the mask hides. `key` is this lane's first key, `row` its first query row.
template <class S>
__device__ __forceinline__ void mask(Scores<S>& s, const Visibility& visible, int key, int row) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int own = key + 8 * half;
    const int position = own - static_cast<int>(visible.shift) - row;
    const int first = own < static_cast<int>(visible.keys) ? position - static_cast<int>(visible.right) : S::rows;
    const int last = position + static_cast<int>(visible.left);
#pragma unroll
    for (int j = 0; j < S::rows / 8; ++j) {
#pragma unroll
      for (int side = 0; side < 2; ++side) {
        const int column = 8 * j + side;
        if (column < first || column > last) s[4 * j + 2 * half + side] = -INFINITY;
      }
    }
  }
}

/// p = exp(scale s - LSE), in place. `lse` is in exponents of 2.
template <class S>
__device__ __forceinline__ void probabilities(Scores<S>& s, std::uint32_t lse, float scale_log2) {
  const std::uint32_t own = lse + Lane().row() * 4;
#pragma unroll
  for (int j = 0; j < S::rows / 8; ++j) {
    const float2 of_row = load_floats(own + 32 * j);
#pragma unroll
    for (int half = 0; half < 4; half += 2) {
      s[4 * j + half] = exp2_approximate(fmaf(s[4 * j + half], scale_log2, -of_row.x));
      s[4 * j + half + 1] = exp2_approximate(fmaf(s[4 * j + half + 1], scale_log2, -of_row.y));
    }
  }
}

/// Two neighbouring elements as floats.
template <class T>
__device__ __forceinline__ float2 unpacked(std::uint32_t pair) {
  if constexpr (std::is_same_v<T, __half>) {
    return __half22float2(*reinterpret_cast<const __half2*>(&pair));
  } else {
    return {__uint_as_float(pair << 16), __uint_as_float(pair & 0xFFFF0000)};
  }
}

/// ds = p (dp - D), rounded. The weights are those that dV is formed of, which spares the registers of more exact ones.
template <class S>
__device__ __forceinline__ void softmax_gradient(Weights<S>& ds, const Weights<S>& p, const Scores<S>& dp,
                                                 std::uint32_t d) {
  using T = typename S::Element;
  const std::uint32_t own = d + Lane().row() * 4;
#pragma unroll
  for (int j = 0; j < S::rows / 8; ++j) {
    const float2 of_row = load_floats(own + 32 * j);
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int i = j % 2 * 2 + half;
      const float2 weight = unpacked<T>(p[j / 2][i]);
      ds[j / 2][i] =
          packed<T>(weight.x * (dp[4 * j + 2 * half] - of_row.x), weight.y * (dp[4 * j + 2 * half + 1] - of_row.y));
    }
  }
}

/// Where query row i of eight stands in a tile of dS: even rows first. Then the lanes of half a warp, which have four
/// neighbouring rows of dQ, store to four different sets of banks.
inline __device__ int place_of_row(int i) { return i / 2 + i % 2 * 4; }
inline __device__ int row_of_place(int i) { return 2 * i % 8 + i / 4; }

/// Puts this consumer's part of dS, by query rows, where the product for dQ reads it.
template <class S>
__device__ __forceinline__ void store_scores(std::uint32_t ds, const Weights<S>& weights, int consumer) {
  const Lane at;
  const int matrix = at.lane / 8, place = place_of_row(at.lane % 8);
  const std::uint32_t column = swizzled(ds + consumer * S::row_panel, matrix / 2 * 8 + place, 2 * at.warp + matrix % 2);
#pragma unroll
  for (int k = 0; k < S::rows / 16; ++k) store_matrices_transposed(column + k * 16 * swizzle_row, weights[k]);
}

/// Puts this consumer's part of dQ where it is added to device memory from: two panels of 32 columns.
inline __device__ void store_query_gradient(std::uint32_t part, const QueryGradient& dq) {
  const Lane at;
  const int row = 16 * at.warp + row_of_place(at.lane / 4);
  const std::uint32_t start = part + row * swizzle_row + at.lane % 2 * 8;
#pragma unroll
  for (int j = 0; j < 8; ++j) {
    const int chunk = (2 * (j % 4) + at.lane % 4 / 2) ^ (row % 8);
    const std::uint32_t address = start + j / 4 * 64 * swizzle_row + chunk * 16;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      asm volatile("st.shared.v2.f32 [%0], {%1, %2};" ::"r"(address + half * 8 * swizzle_row),
                   "f"(dq[4 * j + 2 * half]), "f"(dq[4 * j + 2 * half + 1])
                   : "memory");
    }
  }
}

}  // namespace tilemeter::kernels::flash3_gradients
