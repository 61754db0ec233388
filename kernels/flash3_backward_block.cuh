// What a thread block of flash3_backward works on: its sizes, its shared memory, and which tiles it visits.
#pragma once

#include "kernels/flash3_backward.hpp"
#include "kernels/visibility.hpp"
#include "kernels/wgmma.cuh"

namespace tilemeter::kernels::flash3_gradients {

/// Query tiles of `Rows` rows stream past a tile of 128 keys and its gradients. A producer warpgroup copies, and each
/// of two consumer warpgroups has 64 keys.
template <class ElementType, int Rows, int HeadDim>
struct GradientShape {
  using Element = ElementType;
  using Layout = Flash3BackwardLayout;
  static constexpr int rows = Rows, keys = 128, head_dim = HeadDim;
  static constexpr int consumers = 2, own_keys = 64, stages = Layout::stages;
  static constexpr int threads = 128 * (1 + consumers);
  static constexpr int panels = head_dim / 64;  ///< of 64 elements of a row of Q, K, V, dO
  static constexpr int key_panel = keys * swizzle_row, row_panel = rows * swizzle_row,
                       own_panel = own_keys * swizzle_row;
  static constexpr int key_bytes = panels * key_panel, row_bytes = panels * row_panel;
  static constexpr int score_bytes = keys / 64 * row_panel;
  /// dQ of a query tile is split over the consumers into parts of 64 x 64: by columns for 64 rows, by rows for 128.
  static constexpr bool split_by_columns = rows == 64;
  static constexpr int part_bytes = 64 * 64 * 4;
  /// Whether dQ of a query tile is formed in the step of the next. What is fastest: for 128 columns, where registers
  /// are scarcer and shared memory busier, it is not.
  static constexpr bool dq_later = head_dim == 64;
  /// Who of a consumer says that a stage of dO and D is free: each warp, since any may be the last to read D, where the
  /// consumers do not meet in between; else one thread.
  static constexpr int do_releases = dq_later ? warpgroup_size / warp_size : 1;
  static constexpr int producer_registers = dq_later ? 24 : 40, consumer_registers = dq_later ? 240 : 232;
  static_assert(rows * head_dim == consumers * 64 * 64);
};

/// Shared memory: K, V, stages of Q and dO, two buffers of dS, dQ, stages of LSE and D, barriers. Behind the last query
/// tile dV takes the place of V, and dK that of K.
template <class S>
struct SharedMemory {
  std::uint32_t base;

  __device__ explicit SharedMemory(const void* memory)
      : base((shared_address(memory) + swizzle_atom - 1) / swizzle_atom * swizzle_atom) {}
  __device__ std::uint32_t k() const { return base; }
  __device__ std::uint32_t v() const { return k() + S::key_bytes; }
  __device__ std::uint32_t q(int stage) const { return v() + S::key_bytes + stage * S::row_bytes; }
  __device__ std::uint32_t d_o(int stage) const { return q(S::stages) + stage * S::row_bytes; }
  __device__ std::uint32_t ds(int buffer) const { return d_o(S::stages) + buffer * S::score_bytes; }
  __device__ std::uint32_t dq(int consumer) const { return ds(2) + consumer * S::part_bytes; }
  __device__ std::uint32_t lse(int stage) const { return dq(S::consumers) + stage * S::rows * 4; }
  __device__ std::uint32_t d(int stage) const { return lse(S::stages) + stage * S::rows * 4; }

  /// K and V are there.
  __device__ Barrier keys_full() const { return {d(S::stages)}; }
  /// The gradients have left the place of K and V.
  __device__ Barrier keys_empty() const { return {keys_full().address + 8}; }
  /// Q and LSE, or dO and D, of a query tile are there; all consumers have read them.
  __device__ Barrier q_full(int stage) const { return {keys_full().address + 16 + stage * 32}; }
  __device__ Barrier q_empty(int stage) const { return {q_full(stage).address + 8}; }
  __device__ Barrier do_full(int stage) const { return {q_full(stage).address + 16}; }
  __device__ Barrier do_empty(int stage) const { return {q_full(stage).address + 24}; }

  /// dS of both consumers is there; both have read it. For dQ in the next step.
  __device__ Barrier ds_full(int buffer) const { return {q_full(S::stages).address + buffer * 16}; }
  __device__ Barrier ds_empty(int buffer) const { return {ds_full(buffer).address + 8}; }

  __device__ void init_barriers() const {
    keys_full().init(1);
    keys_empty().init(S::consumers);
    for (int stage = 0; stage < S::stages; ++stage) {
      q_full(stage).init(1 + warp_size);  // who copies the tile, and the warp that brings the statistics
      do_full(stage).init(1 + warp_size);
      q_empty(stage).init(S::consumers);
      do_empty(stage).init(S::consumers * S::do_releases);
    }
    for (int buffer = 0; buffer < 2; ++buffer) {
      ds_full(buffer).init(S::consumers * warpgroup_size / warp_size);
      ds_empty(buffer).init(S::consumers);
    }
    fence_barrier_init();
  }
};

/// Named barriers of the block.
struct BarrierNumber {
  static constexpr int scores_stored = 1;
  __device__ static constexpr int dq_empty(int consumer) { return 2 + consumer; }
  __device__ static constexpr int dq_full(int consumer) { return 4 + consumer; }
  __device__ static constexpr int consumer(int consumer) { return 6 + consumer; }
  static constexpr int all_consumers = 8;
};

struct Arguments {
  CUtensorMap q, k, v, d_o, dk, dv, dq;
  const float* lse;
  const float* d;
  Visibility visible;
  int seq_q;
  int seq_k;
  int row_blocks;
  int key_tiles;
  int group;           ///< streams that share K and V
  int blocks;          ///< thread blocks of a stream, each of which has every so many key tiles
  int buffers;         ///< of dQ, in a stream: one, or one for each of its blocks
  TensorName dk_name;  ///< dK, or dKx where heads are summed later
  TensorName dv_name;
  float scale;
  float scale_log2;
};

/// A key tile of a stream and the query tiles that visit it.
struct KeyTile {
  int stream;
  int key;    ///< the first
  int keys;   ///< in the tensor
  int first;  ///< query tile
  int last;   ///< behind the last query tile
  __device__ bool visited() const { return first < last; }
};

/// The key tiles of this block.
template <class S>
struct Schedule {
  const Arguments& a;

  __device__ int stream() const { return static_cast<int>(blockIdx.x) / a.blocks; }
  __device__ int first() const { return static_cast<int>(blockIdx.x) % a.blocks; }
  /// The matrix of dQ to which this block adds.
  __device__ int dq_buffer() const { return a.buffers == 1 ? stream() : static_cast<int>(blockIdx.x); }
  __device__ KeyTile tile(int index) const {
    const Range rows = visiting_row_blocks(a.visible, index, a.row_blocks, S::rows, S::keys);
    return {.stream = stream(),
            .key = index * S::keys,
            .keys = min(S::keys, a.seq_k - index * S::keys),
            .first = static_cast<int>(rows.first),
            .last = static_cast<int>(rows.last)};
  }
  /// Calls `body(KeyTile)` for one after another.
  template <class Body>
  __device__ void each(Body body) const {
#pragma unroll 1
    for (int index = first(); index < a.key_tiles; index += a.blocks) body(tile(index));
  }
};

}  // namespace tilemeter::kernels::flash3_gradients
