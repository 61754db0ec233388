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
  /// One record for every block of the grid, blockIdx.x fastest.
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

  /// Adds the counts of the block's threads and writes the block's record. All threads call it, once.
  __device__ void flush(Records records) {
    Record& block =
        records.blocks[blockIdx.x + std::size_t{gridDim.x} * (blockIdx.y + std::size_t{gridDim.y} * blockIdx.z)];
#pragma unroll 1  // 72 copies of the sum would take most of the compiler's time
    for (int i = 0; i < static_cast<int>(tensor_count); ++i) {
      write_sum(block.read[i], record_.read[i]);
      write_sum(block.write[i], record_.write[i]);
    }
    write_sum(block.tiles, record_.tiles);
  }

 private:
  static constexpr int warp = 32;

  __device__ static void write_sum(std::uint64_t& to, std::uint64_t value) {
    __shared__ std::uint64_t warp_sums[warp];
    for (int distance = warp / 2; distance > 0; distance /= 2) value += __shfl_down_sync(~0u, value, distance);
    __syncthreads();
    if (threadIdx.x % warp == 0) warp_sums[threadIdx.x / warp] = value;
    __syncthreads();
    if (threadIdx.x != 0) return;
#pragma unroll 1
    for (int i = 1; i < static_cast<int>(blockDim.x) / warp; ++i) value += warp_sums[i];
    to = value;
  }

  Record record_ = {};
};

}  // namespace tilemeter::kernels
