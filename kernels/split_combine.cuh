// The second kernel of split_kv: O and LSE of every row from those of its splits.
#pragma once

#include "kernels/chunks.cuh"
#include "kernels/split_rows.cuh"

namespace tilemeter::kernels::split {

/// Neighbouring threads share a row, four columns each.
template <class T, int HeadDim>
struct CombineShape {
  using Element = T;
  static constexpr int head_dim = HeadDim;
  static constexpr int columns = 4;
  static constexpr int threads = 128;
  static constexpr int lanes = HeadDim / columns;
  static constexpr int rows = threads / lanes;
};

template <class S, class Counters>
__device__ void load_lse(float* weights, const Arguments<typename S::Element>& a, Count first_row, int rows,
                         Counters& counters) {
  const int splits = static_cast<int>(a.splits);
  for (int i = threadIdx.x; i < rows * splits; i += S::threads) {
    weights[i] = a.lse_parts[first_row * splits + i];
    counters.read(TensorName::LSEacc, 1);
  }
}

/// Turns the LSE of the splits of a row into their weights; a warp a row.
template <class S, class Counters>
__device__ void weigh(float* weights, const Arguments<typename S::Element>& a, Count first_row, int rows,
                      Counters& counters) {
  constexpr int warp = 32;
  const int splits = static_cast<int>(a.splits), lane = threadIdx.x % warp;
  for (int row = threadIdx.x / warp; row < rows; row += S::threads / warp) {
    float* of_row = weights + row * splits;
    float m = -INFINITY, sum = 0;
    for (int i = lane; i < splits; i += warp) m = fmaxf(m, of_row[i]);
    for (int distance = warp / 2; distance > 0; distance /= 2) m = fmaxf(m, __shfl_xor_sync(~0u, m, distance));
    for (int i = lane; i < splits; i += warp) sum += exp2_approximate((of_row[i] - base_of(m)) * log2_e);
    for (int distance = warp / 2; distance > 0; distance /= 2) sum += __shfl_xor_sync(~0u, sum, distance);
    const bool empty = m == -INFINITY;
    const float lse = empty ? a.empty_lse : m + logf(sum), reciprocal = empty ? 0 : 1 / sum;
    for (int i = lane; i < splits; i += warp) {
      of_row[i] = reciprocal * exp2_approximate((of_row[i] - base_of(m)) * log2_e);
    }
    if (lane == 0) {
      a.lse[first_row + row] = lse;
      counters.write(TensorName::LSE, 1);
    }
  }
}

/// O of this thread's row and columns.
template <class S, class Counters>
__device__ float4 weighted_sum(const float* weights, const Arguments<typename S::Element>& a, Count row, int column,
                               Counters& counters) {
  const Count head = row / a.seq_q, stride = a.seq_q * (S::head_dim / S::columns);
  const auto* part =
      reinterpret_cast<const float4*>(a.o_parts + (head * a.splits * a.seq_q + row % a.seq_q) * S::head_dim + column);
  float4 o = {0, 0, 0, 0};
  const int splits = static_cast<int>(a.splits);
#pragma unroll 8
  for (int split = 0; split < splits; ++split) {
    const float4 value = part[split * stride];
    counters.read(TensorName::Oacc, S::columns);
    const float weight = weights[split];
    o = {o.x + weight * value.x, o.y + weight * value.y, o.z + weight * value.z, o.w + weight * value.w};
  }
  return o;
}

template <class S, class Counters>
__global__ void __launch_bounds__(S::threads)
    combine(const __grid_constant__ Arguments<typename S::Element> a, typename Counters::Records records) {
  using T = typename S::Element;
  extern __shared__ float weights[];
  const Count first_row = Count{blockIdx.x} * S::rows;
  const int rows = static_cast<int>(a.query_rows - first_row < S::rows ? a.query_rows - first_row : S::rows);
  Counters counters;
  load_lse<S>(weights, a, first_row, rows, counters);
  __syncthreads();
  weigh<S>(weights, a, first_row, rows, counters);
  __syncthreads();
  const int row = threadIdx.x / S::lanes, column = threadIdx.x % S::lanes * S::columns;
  if (row < rows) {
    const float4 o = weighted_sum<S>(weights + row * a.splits, a, first_row + row, column, counters);
    const uint2 four = {packed<T>(o.x, o.y), packed<T>(o.z, o.w)};
    *reinterpret_cast<uint2*>(a.o + (first_row + row) * S::head_dim + column) = four;
    counters.write(TensorName::O, S::columns);
  }
  counters.flush(records);
}

}  // namespace tilemeter::kernels::split
