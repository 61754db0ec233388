// Neighbouring elements in chunks of 16 bytes, for kernels that stream through memory and compute in fp32.
#pragma once

#include <type_traits>

#include "kernels/mma.cuh"

namespace tilemeter::kernels {

/// Elements of type T in 16 bytes.
template <class T>
inline constexpr int elements_of_chunk = 16 / static_cast<int>(sizeof(T));

/// The values of a chunk in fp32.
template <class T>
using ChunkValues = float[elements_of_chunk<T>];

template <class T>
__device__ void unpack(const uint4& chunk, ChunkValues<T>& values) {
  const unsigned words[] = {chunk.x, chunk.y, chunk.z, chunk.w};
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    if constexpr (std::is_same_v<T, float>) {
      values[i] = __uint_as_float(words[i]);
    } else {
      const float2 pair = unpacked<T>(words[i]);
      values[2 * i] = pair.x;
      values[2 * i + 1] = pair.y;
    }
  }
}

template <class T>
__device__ uint4 pack(const ChunkValues<T>& values) {
  unsigned words[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    if constexpr (std::is_same_v<T, float>) {
      words[i] = __float_as_uint(values[i]);
    } else {
      words[i] = packed<T>(values[2 * i], values[2 * i + 1]);
    }
  }
  return {words[0], words[1], words[2], words[3]};
}

}  // namespace tilemeter::kernels
