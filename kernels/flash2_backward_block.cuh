// What a thread block of flash2_backward works on: its arguments, its place, its tiles in shared memory, and the steps
// that are its own.
#pragma once

#include "kernels/flash2_backward.hpp"
#include "kernels/gradient_steps.cuh"
#include "kernels/phase_barrier.cuh"

namespace tilemeter::kernels {

template <class T>
struct Flash2BackwardArguments {
  const T* q;
  const T* k;
  const T* v;
  const T* d_o;
  const float* lse;
  const float* d;
  float* added_dq;  ///< the buffers that dQ is added up in
  T* dq;            ///< where it is written at once
  T* dk;            ///< of every query head
  T* dv;
  Visibility visible;
  Count seq_q;
  Count seq_k;
  Count stride_of_dq;  ///< elements of a buffer
  int row_blocks;      ///< of one stream
  int key_tiles;       ///< of one stream
  unsigned blocks_of_stream;
  unsigned streams;
  int group;           ///< query heads per K/V head
  int buffers;         ///< of dQ, of one stream
  bool longest_first;  ///< the first key tiles of all streams first
  float scale;
};

namespace flash2_backward_steps {

using namespace gradient_steps;

/// Which key tiles (row blocks) of which stream a block takes: `first` and every blocks_of_stream-th from there. Under
/// a causal mask those with the most visits start first. Computed from the block's number wherever it is needed, for
/// which there are more instructions than registers.
template <class T>
struct Place {
  const Flash2BackwardArguments<T>& a;

  __device__ int first() const {
    return a.longest_first ? block_number() / a.streams : block_number() % a.blocks_of_stream;
  }
  __device__ Count stream() const {
    return a.longest_first ? block_number() % a.streams : block_number() / a.blocks_of_stream;
  }
  __device__ Count kv_stream() const { return stream() / a.group; }
  /// An element of the stream's sum of dQ in the buffer of the block, which takes `key_tile`, too.
  __device__ float* added_dq(int key_tile, Count element) const {
    return a.added_dq + (stream() * a.buffers + key_tile % a.buffers) * a.stride_of_dq + element;
  }
};

inline constexpr int stages = flash2_backward_stages, score_stages = flash2_backward_score_stages;

/// The block's shared memory: K and V, where dK and dV leave; the stages of Q and dO; P and dS; the stages of LSE and
/// D.
template <class S>
struct Tiles {
  static constexpr int query = S::QueryTile::size, key = S::KeyTile::size, score = S::ScoreTile::size;
  static constexpr int column = S::block_q * static_cast<int>(sizeof(float));
  static constexpr int size =
      2 * key + stages * 2 * (query + column) + score_stages * 2 * score + stages * PhaseBarrier::size;

  unsigned base;

  /// Keeps the compiler from computing the addresses of all operands before the loop, for which there are no registers.
  __device__ void forget() { asm volatile("" : "+r"(base)); }

  __device__ typename S::KeyTile k() const { return {base}; }
  __device__ typename S::KeyTile v() const { return {base + key}; }
  __device__ typename S::QueryTile q(int stage) const { return {base + 2 * key + stage * 2 * query}; }
  __device__ typename S::QueryTile d_o(int stage) const { return {q(stage).base + query}; }
  __device__ typename S::ScoreTile p(int stage) const { return {q(stages).base + stage * 2 * score}; }
  __device__ typename S::ScoreTile ds(int stage) const { return {p(stage).base + score}; }
  __device__ unsigned lse(int stage) const { return p(score_stages).base + stage * 2 * column; }
  __device__ unsigned d(int stage) const { return lse(stage) + column; }
  /// Its phase ends when Q, dO, LSE and D of the stage are there.
  __device__ PhaseBarrier full(int stage) const { return PhaseBarrier(lse(stages) + stage * PhaseBarrier::size); }
};

/// The same of a block that takes a row block past the key tiles: Q and dO, where dQ leaves; the stages of K and V;
/// those of dS; LSE and D.
template <class S>
struct RowTiles {
  static constexpr int query = S::QueryTile::size, key = S::KeyTile::size, score = S::ScoreTile::size;
  static constexpr int column = Tiles<S>::column;
  static constexpr int size = 2 * query + stages * (2 * key + PhaseBarrier::size) + score_stages * score + 2 * column;

  unsigned base;

  __device__ void forget() { asm volatile("" : "+r"(base)); }

  __device__ typename S::QueryTile q(int) const { return {base}; }
  __device__ typename S::QueryTile d_o(int) const { return {base + query}; }
  __device__ typename S::KeyTile k(int stage) const { return {base + 2 * query + stage * 2 * key}; }
  __device__ typename S::KeyTile v(int stage) const { return {k(stage).base + key}; }
  __device__ typename S::ScoreTile ds(int stage) const { return {k(stages).base + stage * score}; }
  __device__ unsigned lse(int) const { return ds(score_stages).base; }
  __device__ unsigned d(int) const { return lse(0) + column; }
  /// Its phase ends when K and V of the stage, and Q and dO at first, are there.
  __device__ PhaseBarrier full(int stage) const { return PhaseBarrier(d(0) + column + stage * PhaseBarrier::size); }
};

/// Adds four neighbouring floats in device memory, aligned to 16 bytes, as one operation where there is one.
__device__ inline void add_floats(float* to, const float4& values) {
#if __CUDA_ARCH__ >= 900
  asm volatile("red.relaxed.gpu.global.add.v4.f32 [%0], {%1, %2, %3, %4};"
               :
               : "l"(to), "f"(values.x), "f"(values.y), "f"(values.z), "f"(values.w)
               : "memory");
#else
  atomicAdd(to, values.x);
  atomicAdd(to + 1, values.y);
  atomicAdd(to + 2, values.z);
  atomicAdd(to + 3, values.w);
#endif
}

/// Starts the copies of Q, dO, LSE and D of a row block. Rows that do not exist get LSE = infinity, so that their P is
/// 0.
template <class S, class BlockTiles, class Counters>
__device__ void load_queries(const BlockTiles& tiles, int stage, const Flash2BackwardArguments<typename S::T>& a,
                             Count stream, int row_block, Counters& counters) {
  const Count begin = Count{row_block} * S::block_q, row = stream * a.seq_q + begin, valid = a.seq_q - begin;
  copy_rows<S::threads>(tiles.q(stage), a.q + row * S::head_dim, S::head_dim, valid, TensorName::Q, counters);
  copy_rows<S::threads>(tiles.d_o(stage), a.d_o + row * S::head_dim, S::head_dim, valid, TensorName::dO, counters);
  const int thread = threadIdx.x;
  copy_column<S::block_q>(tiles.lse(stage), thread, a.lse + row, valid, INFINITY, TensorName::LSE, counters);
  copy_column<S::block_q>(tiles.d(stage), thread - S::block_q, a.d + row, valid, 0, TensorName::D, counters);
}

/// P = exp(scale S - LSE), over S.
template <class S>
__device__ void probabilities(typename S::ScorePart::Sums& s, unsigned lse, float scale_log2) {
  using Part = typename S::ScorePart;
#pragma unroll
  for (int i = 0; i < Part::row_tiles; ++i) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const float base = load_float(lse + Part::row(i, half) * 4) * log2_of_e;
#pragma unroll
      for (auto& sums : s[i]) {
        sums[half * 2] = exp2_approximate(fmaf(sums[half * 2], scale_log2, -base));
        sums[half * 2 + 1] = exp2_approximate(fmaf(sums[half * 2 + 1], scale_log2, -base));
      }
    }
  }
}

/// Adds a warp's part of dQ to memory.
template <class S, class Counters>
class QueryGradientToMemory {
  using Pieces = LanePieces<S>;

 public:
  /// `to` is the first row of the block, of which `valid` exist.
  __device__ QueryGradientToMemory(float* to, Count valid, typename S::QueryPart::Sums& sums, Counters& counters)
      : sums_(sums),
        counters_(counters),
        own_(to + Pieces::row() * S::head_dim + Pieces::column()),
        below_(static_cast<int>(valid < S::block_q ? valid : S::block_q) - Pieces::row()) {
    Pieces::exchange_lanes(sums_);
  }

  /// The index-th of Pieces::number additions.
  __device__ void add(int index) {
    if (Pieces::down(index) >= below_) return;
    add_floats(own_ + Pieces::down(index) * S::head_dim + Pieces::right(index), Pieces::piece(sums_, index));
    counters_.read(TensorName::dQacc, 4);
    counters_.write(TensorName::dQacc, 4);
  }

 private:
  typename S::QueryPart::Sums& sums_;
  Counters& counters_;
  float* own_;
  int below_;
};

}  // namespace flash2_backward_steps
}  // namespace tilemeter::kernels
