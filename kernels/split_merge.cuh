// The end of split_kv's first kernel: what its teams of warps found becomes rows of O and LSE, or of a split's part.
#pragma once

#include "kernels/split_tiles.cuh"

namespace tilemeter::kernels::split {

/// Where the teams put what they found, in the place of the ring: O (row by row, chunks of four columns permuted), m
/// and l of each of the team's rows.
template <class S>
struct Scratch {
  float* o;
  static constexpr int rows = S::teams * S::block_q;
  static_assert((rows * S::head_dim + 2 * rows) * sizeof(float) <= S::stages * S::stage);

  __device__ float& m(int team, int row) const { return o[rows * S::head_dim + team * S::block_q + row]; }
  __device__ float& l(int team, int row) const { return (&m(team, row))[rows]; }
  __device__ float4& chunk(int team, int row, int index) const {
    return reinterpret_cast<float4*>(o + (team * S::block_q + row) * S::head_dim)[index ^ (row % 8)];
  }
  /// Two neighbouring columns, the first an even one.
  __device__ float2& pair(int team, int row, int column) const {
    return reinterpret_cast<float2*>(&chunk(team, row, column / 4))[column % 4 / 2];
  }
};

/// Maximum and sum of a row over all teams.
struct Total {
  float m = -INFINITY;
  float l = 0;

  template <class S>
  __device__ Total(const Scratch<S>& scratch, int row) {
    for (int team = 0; team < S::teams; ++team) m = fmaxf(m, scratch.m(team, row));
    for (int team = 0; team < S::teams; ++team) {
      l += scratch.l(team, row) * exp2_approximate(scratch.m(team, row) - base_of(m));
    }
  }
  __device__ float lse(float empty_lse) const { return l == 0 ? empty_lse : m * ln_2 + logf(l); }
};

template <class S>
__device__ void share_statistics(State<S>& state, const Scratch<S>& scratch) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    float& l = state.l[half];
    l += __shfl_xor_sync(~0u, l, 1);
    l += __shfl_xor_sync(~0u, l, 2);
    if (S::lane() % 4 != 0) continue;
    scratch.m(S::own_team(), S::row() + 8 * half) = state.m[half];
    scratch.l(S::own_team(), S::row() + 8 * half) = l;
  }
}

/// O of the team as a part of the whole row's, which is the sum over the teams; and LSE, a part's where there are
/// several splits.
template <class S, class Counters>
__device__ void share_output(const State<S>& state, const Scratch<S>& scratch, const Arguments<typename S::Element>& a,
                             const Place& place, Counters& counters) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int row = S::row() + 8 * half;
    const Total total(scratch, row);
    const float factor = total.l == 0 ? 0 : exp2_approximate(state.m[half] - base_of(total.m)) / total.l;
#pragma unroll
    for (int i = 0; i < 2 * S::steps; ++i) {
      scratch.pair(S::own_team(), row, 8 * i + S::lane() % 4 * 2) = {state.o[i][2 * half] * factor,
                                                                     state.o[i][2 * half + 1] * factor};
    }
    if (S::own_team() != 0 || S::lane() % 4 != 0 || place.row_begin + row >= a.rows) continue;
    const QueryRow at(a, place.stream, place.row_begin + row);
    if (a.splits == 1) {
      a.lse[at.index(a)] = total.lse(a.empty_lse);
      counters.write(TensorName::LSE, 1);
    } else {
      a.lse_parts[at.index(a) * a.splits + place.split] = total.lse(-INFINITY);
      counters.write(TensorName::LSEacc, 1);
    }
  }
}

/// O, or the split's part of it, from the sum over the teams.
template <class S, class Counters>
__device__ void store(const Scratch<S>& scratch, const Arguments<typename S::Element>& a, const Place& place,
                      Counters& counters) {
  using T = typename S::Element;
#pragma unroll 2
  for (int i = threadIdx.x; i < S::block_q * S::row_chunks; i += S::threads) {
    const int row = i / S::row_chunks, chunk = i % S::row_chunks;
    if (place.row_begin + row >= a.rows) continue;
    float4 sums[2] = {};
#pragma unroll
    for (int team = 0; team < S::teams; ++team) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const float4 part = scratch.chunk(team, row, 2 * chunk + half);
        float4& sum = sums[half];
        sum = {sum.x + part.x, sum.y + part.y, sum.z + part.z, sum.w + part.w};
      }
    }
    const QueryRow at(a, place.stream, place.row_begin + row);
    if (a.splits == 1) {
      const uint4 eight = {packed<T>(sums[0].x, sums[0].y), packed<T>(sums[0].z, sums[0].w),
                           packed<T>(sums[1].x, sums[1].y), packed<T>(sums[1].z, sums[1].w)};
      reinterpret_cast<uint4*>(a.o + at.index(a) * S::head_dim)[chunk] = eight;
      counters.write(TensorName::O, chunk_elements);
    } else {
      auto* part = reinterpret_cast<float4*>(a.o_parts + at.part(a, place.split) * S::head_dim);
      part[2 * chunk] = sums[0];
      part[2 * chunk + 1] = sums[1];
      counters.write(TensorName::Oacc, chunk_elements);
    }
  }
}

}  // namespace tilemeter::kernels::split
