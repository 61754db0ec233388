// Counters as a template policy: kernels call the same methods on either type, and NoCount compiles to nothing.
#pragma once

#include "kernels/record.hpp"

namespace tilemeter::kernels {

/// The policy of the kernels that are timed: no state, no instructions.
struct NoCount {
  /// Stands where the counting kernel takes its records.
  struct Records {};

  __device__ void read(TensorName, int) {}
  __device__ void write(TensorName, int) {}
  __device__ void tile() {}
  __device__ void tiles(int) {}
  __device__ void flush(Records) {}
};

/// Counts per thread, and at the end writes one record a block. Timings of such a kernel mean nothing.
class CountTraffic {
 public:
  /// One record for every block of the grid, blockIdx.x fastest, poisoned.
  struct Records {
    Record* blocks;
  };

  /// This thread moved `elements` of `tensor` from device memory to its SM.
  __device__ void read(TensorName tensor, int elements) { record_.read[static_cast<int>(tensor)] += elements; }
  /// This thread moved `elements` of `tensor` from its SM to device memory.
  __device__ void write(TensorName tensor, int elements) { record_.write[static_cast<int>(tensor)] += elements; }
  /// The block visited a tile.
  __device__ void tile() { tiles(1); }
  /// The block visits so many tiles.
  __device__ void tiles(int number) { record_.tiles += threadIdx.x == 0 ? number : 0; }

  /// Adds the counts of the block's threads to its record, warp by warp and without a barrier. All threads call it,
  /// once.
  __device__ void flush(Records records) {
    Record& block =
        records.blocks[blockIdx.x + std::size_t{gridDim.x} * (blockIdx.y + std::size_t{gridDim.y} * blockIdx.z)];
#pragma unroll 1  // 72 copies of the sum would take most of the compiler's time
    for (int i = 0; i < static_cast<int>(tensor_count); ++i) {
      add(block.read[i], record_.read[i]);
      add(block.write[i], record_.write[i]);
    }
    add(block.tiles, record_.tiles);
  }

 private:
  /// Figures of a record begin with all bits set, which is -1; the first warp adds one more.
  __device__ static void add(std::uint64_t& figure, std::uint64_t value) {
    constexpr int warp = 32;
    for (int distance = warp / 2; distance > 0; distance /= 2) value += __shfl_xor_sync(~0u, value, distance);
    if (threadIdx.x < warp) ++value;
    if (threadIdx.x % warp == 0 && value != 0) atomicAdd(reinterpret_cast<unsigned long long*>(&figure), value);
  }

  Record record_ = {};
};

}  // namespace tilemeter::kernels
