// What a thread block of flash3 works on: its sizes, arguments, shared memory, and the query tiles that it takes.
#pragma once

#include "kernels/flash3.hpp"
#include "kernels/visibility.hpp"
#include "kernels/wgmma.cuh"

namespace tilemeter::kernels {

/// Sizes of a block: a warpgroup of producers, and a consumer warpgroup for every 64 rows of Q. Elements of 8 bits are
/// e4m3, with V transposed and O in bf16 (kernels/flash3_fp8.cuh).
template <class Element, int BlockQ, int BlockK, int HeadDim, int Stages, Flash3Choices Choices>
struct Flash3Shape {
  using T = Element;
  static constexpr Flash3Choices choices = Choices;
  static constexpr int block_q = BlockQ, block_k = BlockK, head_dim = HeadDim, stages = Stages;
  static constexpr int group_rows = 64, consumers = block_q / group_rows;
  static constexpr int threads = warpgroup_size * (1 + consumers);
  static constexpr bool fp8 = sizeof(T) == 1;
  using Output = std::conditional_t<fp8, __nv_bfloat16, T>;
  static constexpr int panel_row = fp8 && head_dim < swizzle_row ? head_dim : swizzle_row;  ///< bytes of Q, K
  static constexpr int panels = head_dim * static_cast<int>(sizeof(T)) / panel_row;
  static constexpr int q_panel = group_rows * panel_row, q_bytes = panels * q_panel;
  static constexpr int kv_panel = block_k * panel_row, kv_bytes = panels * kv_panel;
  static constexpr int cluster = choices.cluster, panels_fetched = panels / cluster;
  static constexpr int q_tiles = choices.q_buffers * consumers;  ///< of one consumer each
  static constexpr int tiles = q_tiles * q_bytes + 2 * stages * kv_bytes;
  static constexpr int v_row =
      block_k % swizzle_row == 0 ? swizzle_row : swizzle_row / 2;               ///< of fp8: bytes of a column
  static constexpr int v_panels = block_k / v_row, v_panel = head_dim * v_row;  ///< ...
  static constexpr int o_panels = head_dim / 64, o_panel = group_rows * swizzle_row, o_bytes = o_panels * o_panel;
  static constexpr int staging = fp8 ? consumers * o_bytes : 0;  ///< of O, which elsewhere leaves by way of Q
  static constexpr int shared =
      Flash3Layout::alignment + tiles + staging + Flash3Layout::barriers(consumers, stages, choices.q_buffers);
  /// Registers of a thread that issues loads, and of one that multiplies: together those of the launch.
  static constexpr int producer_registers = consumers == 1 ? 56 : (consumers == 2 ? 24 : 32);
  static constexpr int consumer_registers = consumers == 1 ? 256 : (consumers == 2 ? 240 : 160);
  static_assert(block_q % group_rows == 0 && block_k % 16 == 0 && head_dim % 64 == 0);
  static_assert(panels % cluster == 0);
};

struct Flash3Arguments {
  CUtensorMap q;
  CUtensorMap k;
  CUtensorMap v;
  CUtensorMap o;
  CUtensorMap k_pairs;  ///< of fp8: two neighbouring rows of K a copy
  const void* k_memory;
  const float* descales;  ///< of fp8, a K/V head each: those of Q, then those of K, then those of V
  float* lse;
  Visibility visible;
  int keys;       ///< that any row may see: row r sees those from r + first_key on and before r + end_key
  int first_key;  ///< ...
  int end_key;    ///< ...
  int seq_q;
  int seq_k;
  int group;       ///< query heads per K/V head
  int row_blocks;  ///< of one stream
  int streams;
  int kv_streams;
  bool longest_first;  ///< the last row blocks of all streams first, then those before them
  int tiles;           ///< query tiles of all streams
  float scale_log2;    ///< scale times log2(e)
  float empty_lse;
};

namespace flash3_steps {

/// A query tile, and the key tiles that it visits, the last first. Plain ones are those that all rows see whole when
/// they have seen keys before.
struct QueryTile {
  int stream;
  int kv_stream;
  int row;
  int first, last;
  int plain_first, plain_last;

  __device__ bool empty() const { return last <= first; }
  __device__ bool is_plain(int tile) const { return plain_first <= tile && tile < plain_last; }
};

/// The query tiles of a block. Without a mask those of a stream follow one another, so that neighbouring blocks share K
/// and V in the L2. Under a causal mask the longest of all streams come first, and the blocks take them in turns, forth
/// and back, which evens out their work.
template <class S>
class Schedule {
 public:
  __device__ explicit Schedule(const Flash3Arguments& a) : a_(a) {}

  __device__ bool has_tile() const { return index() < a_.tiles; }
  __device__ void advance() {
    begin_ += static_cast<int>(gridDim.x);
    back_ = !back_ && a_.longest_first;
  }
  __device__ QueryTile tile() const {
    const int stream = a_.longest_first ? index() % a_.streams : index() / a_.row_blocks;
    const int block = a_.longest_first ? a_.row_blocks - 1 - index() / a_.streams : index() % a_.row_blocks;
    const Count row = Count{block} * S::block_q;
    const Range visited = visited_tiles(a_.visible, row, S::block_q, S::block_k);
    const Range whole = unmasked_tiles(a_.visible, row, min(row + S::block_q, Count{a_.seq_q}), S::block_k);
    return {.stream = stream,
            .kv_stream = stream / a_.group,
            .row = static_cast<int>(row),
            .first = static_cast<int>(visited.first),
            .last = static_cast<int>(visited.last),
            .plain_first = static_cast<int>(whole.first),
            .plain_last = static_cast<int>(min(whole.last, visited.last)) - 1};
  }

 private:
  __device__ int index() const {
    const int block = static_cast<int>(blockIdx.x);
    return begin_ + (back_ ? static_cast<int>(gridDim.x) - 1 - block : block);
  }

  const Flash3Arguments& a_;
  int begin_ = 0;  ///< of the round
  bool back_ = false;
};

/// The block's shared memory: query tiles by buffer and consumer, the stages of K, those of V, and barriers in pairs:
/// `full` ends a phase when the tile is there, `empty` when it is no longer needed.
template <class S>
struct SharedMemory {
  std::uint32_t base;

  __device__ explicit SharedMemory(const void* memory)
      : base((shared_address(memory) + swizzle_atom - 1) / swizzle_atom * swizzle_atom) {}
  __device__ std::uint32_t q(int consumer, int buffer) const {
    return base + (buffer * S::consumers + consumer) * S::q_bytes;
  }
  __device__ std::uint32_t k(int stage) const { return base + S::q_tiles * S::q_bytes + stage * S::kv_bytes; }
  __device__ std::uint32_t v(int stage) const { return k(S::stages + stage); }
  /// Where O of a consumer leaves from.
  __device__ std::uint32_t o(int consumer, int q_buffer) const {
    return S::fp8 ? base + S::tiles + consumer * S::o_bytes : q(consumer, q_buffer);
  }

  __device__ Barrier k_full(int stage) const { return barrier(stage); }
  __device__ Barrier k_empty(int stage) const { return barrier(S::stages + stage); }
  __device__ Barrier v_full(int stage) const { return barrier(2 * S::stages + stage); }
  __device__ Barrier v_empty(int stage) const { return barrier(3 * S::stages + stage); }
  __device__ Barrier q_full(int consumer, int buffer) const {
    return barrier(4 * S::stages + buffer * S::consumers + consumer);
  }
  __device__ Barrier q_empty(int consumer, int buffer) const {
    return barrier(4 * S::stages + S::q_tiles + buffer * S::consumers + consumer);
  }

  /// All threads call it.
  __device__ void init_barriers() const {
    constexpr int warps = warpgroup_size / warp_size;
    if (threadIdx.x == 0) {
      for (int stage = 0; stage < S::stages; ++stage) {
        k_full(stage).init(1);
        v_full(stage).init(1);
        k_empty(stage).init(warps * S::consumers * S::cluster);
        v_empty(stage).init(warps * S::consumers * S::cluster);
      }
      for (int tile = 0; tile < S::q_tiles; ++tile) {
        q_full(tile, 0).init(1);
        q_empty(tile, 0).init(1);
      }
      fence_barrier_init();
    }
    synchronise();
  }

  /// A barrier of all threads that use these barriers.
  __device__ static void synchronise() {
    if constexpr (S::cluster > 1) {
      cluster_barrier();
    } else {
      __syncthreads();
    }
  }

 private:
  __device__ Barrier barrier(int index) const { return {base + S::tiles + S::staging + index * 8}; }
};

}  // namespace flash3_steps
}  // namespace tilemeter::kernels
