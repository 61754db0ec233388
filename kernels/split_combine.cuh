// The second kernel of split_kv: O and LSE of every row from those of its splits.
#pragma once

#include "kernels/chunks.cuh"
#include "kernels/split_rows.cuh"

namespace tilemeter::kernels::split {

/// Neighbouring threads share a row, four columns each; each of four groups of threads takes every fourth split. A
/// thread loads up to eight of its splits at a time.
template <class T, int HeadDim>
struct CombineShape {
  using Element = T;
  static constexpr int head_dim = HeadDim;
  static constexpr int columns = 4;
  static constexpr int group = 128, groups = 4, threads = groups * group;
  static constexpr int lanes = HeadDim / columns;
  static constexpr int rows = group / lanes;
  static constexpr int parts = 8;

  __device__ static int own_group() { return threadIdx.x / group; }
  __device__ static int row() { return threadIdx.x % group / lanes; }
  __device__ static int column() { return threadIdx.x % lanes * columns; }
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

template <class S>
using Parts = float4[S::parts];

/// Calls `body(i, split)` for the splits of this thread among those from `first` on that it loads at a time.
template <class S, class Body>
__device__ void for_each_part(unsigned first, unsigned splits, Body body) {
#pragma unroll
  for (int i = 0; i < S::parts; ++i) {
    const unsigned split = first + S::own_group() + i * S::groups;
    if (split < splits) body(i, split);
  }
}

/// Where this thread's columns of its row lie in Oacc: split 0, and how far from one split to the next.
struct PartsOfRow {
  const float4* first;
  Count stride;

  template <class S>
  __device__ PartsOfRow(const Arguments<typename S::Element>& a, Count row, S) {
    const Count head = row / a.seq_q, position = row % a.seq_q;
    first =
        reinterpret_cast<const float4*>(a.o_parts + (head * a.splits * a.seq_q + position) * S::head_dim + S::column());
    stride = a.seq_q * (S::head_dim / S::columns);
  }
};

template <class S, class Counters>
__device__ void load_parts(Parts<S>& parts, const PartsOfRow& from, unsigned first, unsigned splits,
                           Counters& counters) {
  for_each_part<S>(first, splits, [&](int i, unsigned split) {
    parts[i] = __ldcs(from.first + split * from.stride);
    counters.read(TensorName::Oacc, S::columns);
  });
}

__device__ inline void add(float4& sum, float weight, const float4& value) {
  sum = {sum.x + weight * value.x, sum.y + weight * value.y, sum.z + weight * value.z, sum.w + weight * value.w};
}

/// Adds what the groups of threads found; the first gets the sum.
template <class S>
__device__ void add_groups(float4& o) {
  __shared__ float4 sums[S::groups - 1][S::group];
  const int thread = threadIdx.x % S::group;
  if (S::own_group() > 0) sums[S::own_group() - 1][thread] = o;
  __syncthreads();
  for (int i = 0; i < S::groups - 1; ++i) add(o, 1, sums[i][thread]);
}

/// O and LSE of some rows. The first parts are on their way while the weights are computed.
template <class S, class Counters>
__global__ void __launch_bounds__(S::threads)
    split_kv_combine(const __grid_constant__ Arguments<typename S::Element> a, typename Counters::Records records) {
  using T = typename S::Element;
  extern __shared__ float weights[];
  const Count first_row = Count{blockIdx.x} * S::rows, row = first_row + S::row();
  const int rows = static_cast<int>(a.query_rows - first_row < S::rows ? a.query_rows - first_row : S::rows);
  const unsigned splits = S::row() < rows ? a.splits : 0;  // a row that is not there has no parts
  Counters counters;
  const PartsOfRow from(a, row, S());
  Parts<S> parts;
  wait_for_last_kernel();
  load_parts<S>(parts, from, 0, splits, counters);
  load_lse<S>(weights, a, first_row, rows, counters);
  __syncthreads();
  weigh<S>(weights, a, first_row, rows, counters);
  __syncthreads();
  float4 o = {0, 0, 0, 0};
  constexpr unsigned at_once = S::parts * S::groups;
  for (unsigned first = 0; first < splits; first += at_once) {
    if (first > 0) load_parts<S>(parts, from, first, splits, counters);
    for_each_part<S>(first, splits,
                     [&](int i, unsigned split) { add(o, weights[S::row() * a.splits + split], parts[i]); });
  }
  add_groups<S>(o);
  if (S::own_group() == 0 && S::row() < rows) {
    const uint2 four = {packed<T>(o.x, o.y), packed<T>(o.z, o.w)};
    *reinterpret_cast<uint2*>(a.o + row * S::head_dim + S::column()) = four;
    counters.write(TensorName::O, S::columns);
  }
  counters.flush(records);
}

}  // namespace tilemeter::kernels::split
