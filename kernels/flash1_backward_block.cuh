// What a thread block of flash1_backward works on: its arguments, its tiles in shared memory, and the steps that are
// its own.
#pragma once

#include "kernels/flash1_backward.hpp"
#include "kernels/gradient_steps.cuh"
#include "kernels/phase_barrier.cuh"

namespace tilemeter::kernels {

template <class T>
struct Flash1BackwardArguments {
  const T* q;
  const T* k;
  const T* v;
  const T* o;
  const T* d_o;
  const float* l;
  const float* m;
  void* dq;
  bool dq_is_float;  ///< else of type T
  T* dk;             ///< of every query head
  T* dv;
  Visibility visible;
  Count seq_q;
  Count seq_k;
  int row_blocks;  ///< of one stream
  int key_tiles;   ///< of one stream
  int group;       ///< query heads per K/V head
  float scale;
};

namespace flash1_backward_steps {

using namespace gradient_steps;

inline constexpr int stages = flash1_backward_stages;

/// The block's shared memory: K and V, where dK and dV leave; the stages of Q, dO and O; P and dS; the stages of l and
/// m; D.
template <class S>
struct Tiles {
  static constexpr int query = S::QueryTile::size, key = S::KeyTile::size, score = S::ScoreTile::size;
  static constexpr int column = S::block_q * static_cast<int>(sizeof(float));
  static constexpr int size = 2 * key + stages * (3 * query + 2 * column + PhaseBarrier::size) + 2 * score + column;

  unsigned base;

  /// Keeps the compiler from computing the addresses of all operands before the loop, for which there are no registers.
  __device__ void forget() { asm volatile("" : "+r"(base)); }

  __device__ typename S::KeyTile k() const { return {base}; }
  __device__ typename S::KeyTile v() const { return {base + key}; }
  __device__ typename S::QueryTile q(int stage) const { return {base + 2 * key + stage * 3 * query}; }
  __device__ typename S::QueryTile d_o(int stage) const { return {q(stage).base + query}; }
  __device__ typename S::QueryTile o(int stage) const { return {d_o(stage).base + query}; }
  __device__ typename S::ScoreTile p() const { return {q(stages).base}; }
  __device__ typename S::ScoreTile ds() const { return {p().base + score}; }
  __device__ unsigned l(int stage) const { return ds().base + score + stage * 2 * column; }
  __device__ unsigned m(int stage) const { return l(stage) + column; }
  __device__ unsigned d() const { return l(stages); }
  /// Its phase ends when Q, dO, O, l and m of the stage are there.
  __device__ PhaseBarrier full(int stage) const { return PhaseBarrier(d() + column + stage * PhaseBarrier::size); }
};

/// Starts the copies of Q, dO, O, l and m of a row block. Rows that do not exist get l = 0, so that their P is 0.
template <class S, class Arguments, class Counters>
__device__ void load_queries(const Tiles<S>& tiles, int stage, const Arguments& a, Count stream, int row_block,
                             Counters& counters) {
  const Count begin = Count{row_block} * S::block_q, row = stream * a.seq_q + begin, valid = a.seq_q - begin;
  copy_rows<S::threads>(tiles.q(stage), a.q + row * S::head_dim, S::head_dim, valid, TensorName::Q, counters);
  copy_rows<S::threads>(tiles.d_o(stage), a.d_o + row * S::head_dim, S::head_dim, valid, TensorName::dO, counters);
  copy_rows<S::threads>(tiles.o(stage), a.o + row * S::head_dim, S::head_dim, valid, TensorName::O, counters);
  const int thread = threadIdx.x;
  copy_column<S::block_q>(tiles.l(stage), thread, a.l + row, valid, 0, TensorName::l, counters);
  copy_column<S::block_q>(tiles.m(stage), thread - S::block_q, a.m + row, valid, -INFINITY, TensorName::m, counters);
  arrive(tiles, stage);
}

/// D = rowsum(dO o O), to shared memory: neighbouring threads share a row.
template <class S>
__device__ void row_products(const Tiles<S>& tiles, int stage) {
  using T = typename S::T;
  constexpr int sharers = S::threads / S::block_q, chunks = S::head_dim / chunk_elements;
  const int row = threadIdx.x / sharers, own = threadIdx.x % sharers;
  float sum = 0;
#pragma unroll 2
  for (int chunk = own; chunk < chunks; chunk += sharers) {
    float o[chunk_elements], d_o[chunk_elements];
    unpack<T>(load_chunk(tiles.o(stage).at(row, chunk)), o);
    unpack<T>(load_chunk(tiles.d_o(stage).at(row, chunk)), d_o);
#pragma unroll
    for (int i = 0; i < chunk_elements; ++i) sum = fmaf(o[i], d_o[i], sum);
  }
#pragma unroll
  for (int distance = sharers / 2; distance > 0; distance /= 2) sum += __shfl_xor_sync(~0u, sum, distance);
  if (own == 0) store_float(tiles.d() + row * 4, sum);
}

/// P = exp(scale S - m) / l, over S. Rows that have seen no key have l = 0 and m = -infinity, and P = 0.
template <class S>
__device__ void probabilities(typename S::ScorePart::Sums& s, unsigned l, unsigned m, float scale_log2) {
  using Part = typename S::ScorePart;
#pragma unroll
  for (int i = 0; i < Part::row_tiles; ++i) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const float sum = load_float(l + Part::row(i, half) * 4), largest = load_float(m + Part::row(i, half) * 4);
      const float base = sum == 0 ? 0 : largest * log2_of_e, reciprocal = sum == 0 ? 0 : 1 / sum;
#pragma unroll
      for (auto& sums : s[i]) {
        sums[half * 2] = exp2_approximate(fmaf(sums[half * 2], scale_log2, -base)) * reciprocal;
        sums[half * 2 + 1] = exp2_approximate(fmaf(sums[half * 2 + 1], scale_log2, -base)) * reciprocal;
      }
    }
  }
}

/// A warp's part of dQ on its way from memory and back, in fp32 or in T. Always the same thread reads and writes an
/// element.
template <class S, class Counters>
class StoredQueryGradient {
  using T = typename S::T;
  using Pieces = LanePieces<S>;

 public:
  /// `first` is the block's first row of dQ, of which `valid` exist.
  __device__ StoredQueryGradient(const Flash1BackwardArguments<T>& a, Count first, Count valid, Counters& counters)
      : a_(a),
        counters_(counters),
        own_((first + Pieces::row()) * S::head_dim + Pieces::column()),
        below_(static_cast<int>(valid < S::block_q ? valid : S::block_q) - Pieces::row()) {}

  __device__ void load() {
#pragma unroll
    for (int i = 0; i < Pieces::number; ++i) {
      if (Pieces::down(i) >= below_) continue;
      if (a_.dq_is_float) {
        pieces_[i] = __ldcg(reinterpret_cast<const uint4*>(at<float>(i)));
      } else {
        const uint2 pairs = __ldcg(reinterpret_cast<const uint2*>(at<T>(i)));
        pieces_[i] = {pairs.x, pairs.y, 0, 0};
      }
      counters_.read(TensorName::dQ, 4);
    }
  }

  /// dQ = dQ + factor `sums`.
  __device__ void add(typename S::QueryPart::Sums& sums, float factor) {
    Pieces::exchange_lanes(sums);
#pragma unroll
    for (int i = 0; i < Pieces::number; ++i) {
      if (Pieces::down(i) >= below_) continue;
      const float4 more = Pieces::piece(sums, i), old = values_of(pieces_[i]);
      const float4 all = {fmaf(more.x, factor, old.x), fmaf(more.y, factor, old.y), fmaf(more.z, factor, old.z),
                          fmaf(more.w, factor, old.w)};
      if (a_.dq_is_float) {
        *reinterpret_cast<float4*>(at<float>(i)) = all;
      } else {
        *reinterpret_cast<uint2*>(at<T>(i)) = {packed<T>(all.x, all.y), packed<T>(all.z, all.w)};
      }
      counters_.write(TensorName::dQ, 4);
    }
  }

 private:
  template <class Stored>
  __device__ Stored* at(int i) const {
    return static_cast<Stored*>(a_.dq) + own_ + Pieces::down(i) * S::head_dim + Pieces::right(i);
  }
  __device__ float4 values_of(const uint4& piece) const {
    if (a_.dq_is_float) {
      return {__uint_as_float(piece.x), __uint_as_float(piece.y), __uint_as_float(piece.z), __uint_as_float(piece.w)};
    }
    const float2 left = unpacked<T>(piece.x), right = unpacked<T>(piece.y);
    return {left.x, left.y, right.x, right.y};
  }

  const Flash1BackwardArguments<T>& a_;
  Counters& counters_;
  Count own_;
  int below_;
  uint4 pieces_[Pieces::number];
};

}  // namespace flash1_backward_steps
}  // namespace tilemeter::kernels
