// Tiles in shared memory, and how their rows come from device memory.
#pragma once

#include "kernels/counters.cuh"

namespace tilemeter::kernels {

/// Elements that one thread moves at a time: 16 bytes of fp32.
inline constexpr int chunk_size = 4;

/// A fp32 tile of `Rows` x `Width` in shared memory without padding. The 16-byte chunks of row r are stored in the
/// order chunk XOR (r mod 8), so that threads that read one chunk of eight neighbouring rows meet eight sets of banks.
template <int Rows, int Width>
struct SharedTile {
  static constexpr int chunks = Width / chunk_size;
  static constexpr int size = Rows * chunks;
  static_assert(chunks % 8 == 0, "the order of chunks permutes groups of eight");

  float4* data;

  __device__ float4& at(int row, int chunk) const { return data[row * chunks + (chunk ^ (row % 8))]; }
};

/// Loads `valid` rows of a row-major matrix, and sets the rest of the tile to zero, which moves nothing. All threads
/// of the block call it; they see the tile after a barrier.
template <int Threads, int Rows, int Width, class Counters>
__device__ void load_tile(const SharedTile<Rows, Width>& tile, const float* from, Count valid, TensorName tensor,
                          Counters& counters) {
  const auto* chunks = reinterpret_cast<const float4*>(from);
#pragma unroll 4
  for (int i = threadIdx.x; i < tile.size; i += Threads) {
    float4 value = {0, 0, 0, 0};
    if (i / tile.chunks < valid) {
      value = chunks[i];
      counters.read(tensor, chunk_size);
    }
    tile.at(i / tile.chunks, i % tile.chunks) = value;
  }
}

}  // namespace tilemeter::kernels
