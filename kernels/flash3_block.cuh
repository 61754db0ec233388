// What a thread block of flash3 works on: its sizes, arguments, shared memory, and the query tiles that it takes.
#pragma once

#include "kernels/flash3.hpp"
#include "kernels/visibility.hpp"
#include "kernels/wgmma.cuh"

namespace tilemeter::kernels {

/// Sizes of a block: a warpgroup of producers, and a consumer warpgroup for every 64 rows of Q.
template <class Element, int BlockQ, int BlockK, int HeadDim, int Stages, Flash3Choices Choices>
struct Flash3Shape {
  using T = Element;
  static constexpr Flash3Choices choices = Choices;
  static constexpr int block_q = BlockQ, block_k = BlockK, head_dim = HeadDim, stages = Stages;
  static constexpr int group_rows = 64, consumers = block_q / group_rows;
  static constexpr int threads = warpgroup_size * (1 + consumers);
  static constexpr int panels = head_dim / 64;
  static constexpr int q_panel = group_rows * swizzle_row, q_bytes = panels * q_panel;
  static constexpr int kv_panel = block_k * swizzle_row, kv_bytes = panels * kv_panel;
  static constexpr int q_tiles = choices.q_buffers * consumers;  ///< of one consumer each
  static constexpr int tiles = q_tiles * q_bytes + 2 * stages * kv_bytes;
  static constexpr int shared =
      Flash3Layout::alignment + tiles + Flash3Layout::barriers(consumers, stages, choices.q_buffers);
  /// Registers of a thread that issues loads, and of one that multiplies: together those of the launch.
  static constexpr int producer_registers = consumers == 1 ? 56 : (consumers == 2 ? 40 : 32);
  static constexpr int consumer_registers = consumers == 1 ? 256 : (consumers == 2 ? 232 : 160);
  static_assert(block_q % group_rows == 0 && block_k % 16 == 0 && head_dim % 64 == 0);
};

struct Flash3Arguments {
  CUtensorMap q;
  CUtensorMap k;
  CUtensorMap v;
  CUtensorMap o;
  float* lse;
  Visibility visible;
  int seq_q;
  int group;       ///< query heads per K/V head
  int row_blocks;  ///< of one stream
  int streams;
  int section;  ///< streams that are worked on at a time, longest query tiles first; 0: one after the other, in order
  int tiles;    ///< query tiles of all streams
  float scale_log2;  ///< scale times log2(e)
  float empty_lse;
};

namespace flash3_steps {

/// A query tile, and the key tiles that it visits and that all of its rows see whole.
struct QueryTile {
  int stream;
  int kv_stream;
  int row;
  int first, last;
  int whole_first, whole_last;

  __device__ bool empty() const { return last <= first; }
  __device__ bool is_whole(int tile) const { return whole_first <= tile && tile < whole_last; }
};

/// The query tiles of a block. Without a mask those of a stream follow one another, so that neighbouring blocks share K
/// and V in the L2. Under a causal mask the longest of a section of streams, whose K and V the L2 holds, come first;
/// the blocks take them in turns, forth and back, which evens out their work.
template <class S>
class Schedule {
 public:
  __device__ explicit Schedule(const Flash3Arguments& a) : a_(a) {}

  __device__ bool has_tile() const { return index() < a_.tiles; }
  __device__ void advance() {
    begin_ += static_cast<int>(gridDim.x);
    back_ = !back_ && a_.section != 0;
  }
  __device__ QueryTile tile() const {
    int stream = index() / a_.row_blocks, block = index() % a_.row_blocks;
    if (a_.section != 0) {
      const int in_section = a_.section * a_.row_blocks;
      const int begin = index() / in_section * a_.section, streams = min(a_.section, a_.streams - begin);
      const int place = index() % in_section;
      stream = begin + place % streams;
      block = a_.row_blocks - 1 - place / streams;
    }
    const Count row = Count{block} * S::block_q;
    const Range visited = visited_tiles(a_.visible, row, S::block_q, S::block_k);
    const Range whole = unmasked_tiles(a_.visible, row, min(row + S::block_q, Count{a_.seq_q}), S::block_k);
    return {.stream = stream,
            .kv_stream = stream / a_.group,
            .row = static_cast<int>(row),
            .first = static_cast<int>(visited.first),
            .last = static_cast<int>(visited.last),
            .whole_first = static_cast<int>(whole.first),
            .whole_last = static_cast<int>(whole.last)};
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
    if (threadIdx.x == 0) {
      for (int stage = 0; stage < S::stages; ++stage) {
        k_full(stage).init(1);
        v_full(stage).init(1);
        k_empty(stage).init(S::consumers);
        v_empty(stage).init(S::consumers);
      }
      for (int tile = 0; tile < S::q_tiles; ++tile) {
        q_full(tile, 0).init(1);
        q_empty(tile, 0).init(1);
      }
      fence_barrier_init();
    }
    __syncthreads();
  }

 private:
  __device__ Barrier barrier(int index) const { return {base + S::tiles + index * 8}; }
};

}  // namespace flash3_steps
}  // namespace tilemeter::kernels
