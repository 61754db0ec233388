// Chunks of rows that may begin anywhere and end within a chunk.
#pragma once

#include "kernels/chunks.cuh"
#include "kernels/visibility.hpp"

namespace tilemeter::kernels {

/// Elements of a chunk of a row with `left` elements before its end.
template <class Integer>
__device__ int valid_elements(Integer left) {
  return left <= 0 ? 0 : left >= chunk_elements ? chunk_elements : static_cast<int>(left);
}

/// A chunk that does not lie in one piece; zeros where `valid` ends.
template <class T>
__device__ uint4 gather(const T* from, int valid) {
  const auto* bits = reinterpret_cast<const unsigned short*>(from);
  unsigned pairs[chunk_elements / 2];
#pragma unroll
  for (int i = 0; i < chunk_elements / 2; ++i) {
    const unsigned low = 2 * i < valid ? bits[2 * i] : 0;
    const unsigned high = 2 * i + 1 < valid ? bits[2 * i + 1] : 0;
    pairs[i] = low | high << 16;
  }
  return {pairs[0], pairs[1], pairs[2], pairs[3]};
}

template <class T>
__device__ void scatter(T* to, const uint4& chunk, int valid) {
  auto* bits = reinterpret_cast<unsigned short*>(to);
  const unsigned pairs[] = {chunk.x, chunk.y, chunk.z, chunk.w};
#pragma unroll
  for (int i = 0; i < chunk_elements; ++i) {
    if (i < valid) bits[i] = static_cast<unsigned short>(pairs[i / 2] >> i % 2 * 16);
  }
}

}  // namespace tilemeter::kernels
