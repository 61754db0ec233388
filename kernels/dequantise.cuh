// Fragments of int8 weights for the tensor cores, in bf16, without the conversion unit.
#pragma once

#include "kernels/hopper.cuh"

namespace tilemeter::kernels {

/// Bytes of `a` (0 to 3) and `b` (4 to 7), the one that each digit of `selector` names, lowest first.
__device__ inline unsigned permuted(unsigned a, unsigned b, unsigned selector) {
  unsigned bytes;
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(bytes) : "r"(a), "r"(b), "r"(selector));
  return bytes;
}

/// Two int8, in the lowest bytes of either half, as bf16. Above 128 the step of bf16 is 1, so that its last seven bits
/// count: 128 + (the low seven bits of x) - (128, or 256 where x is negative) is x, exactly.
__device__ inline unsigned exact_pair(unsigned spread) {
  const unsigned low = (spread & 0x007F007FU) | 0x43004300U, high = (spread & 0x00800080U) | 0x43004300U;
  unsigned pair;
  asm("sub.rn.bf16x2 %0, %1, %2;" : "=r"(pair) : "r"(low), "r"(high));
  return pair;
}

/// Two int8, in the lowest bytes of either half, times `scale`, rounded to bf16. `scale` comes from fp16: its product
/// with a float of 2^15 + 128 + x, where the second byte counts ones, is exact.
__device__ inline unsigned scaled_pair(unsigned spread, float scale) {
  const unsigned biased = spread ^ 0x00800080U;
  const float bias = -(32768.0F + 128.0F) * scale;
  const float first = fmaf(__uint_as_float(permuted(biased, 0x47000000U, 0x7404)), scale, bias);
  const float second = fmaf(__uint_as_float(permuted(biased, 0x47000000U, 0x7424)), scale, bias);
  return packed<__nv_bfloat16>(first, second);
}

/// 16 rows x 16 columns of int8 as a warp's part of a product's left operand: lane l holds columns 2 (l mod 4) and the
/// next, and those eight further on, of rows l / 4 and l / 4 + 8.
struct Int8Fragment {
  unsigned pairs[4];  ///< two weights each, in the lowest bytes of either half; the order of Fragment

  /// Reads chunk `chunk` of the rows of a swizzled tile; `row` is the address of row l / 4.
  __device__ Int8Fragment(std::uint32_t row, int chunk) {
    const int lane = threadIdx.x % warp_size;
#ifdef WEIGHTS_U16
    const std::uint32_t at = row + ((chunk ^ (lane / 4)) * 16) + lane % 4 * 2;
    pairs[0] = half_at(at);
    pairs[1] = half_at(at + swizzle_atom);
    pairs[2] = half_at(at + 8);
    pairs[3] = half_at(at + swizzle_atom + 8);
#else
    const std::uint32_t at = row + ((chunk ^ (lane / 4)) * 16);
    const uint4 upper = load_chunk(at), lower = load_chunk(at + swizzle_atom);
    // The lane's two bytes of eight, spread over the halves.
    const unsigned first = 2 * (lane % 4), selector = first | first << 4 | (first + 1) << 8 | (first + 1) << 12;
    pairs[0] = permuted(upper.x, upper.y, selector);
    pairs[1] = permuted(lower.x, lower.y, selector);
    pairs[2] = permuted(upper.z, upper.w, selector);
    pairs[3] = permuted(lower.z, lower.w, selector);
#endif
  }
  static __device__ unsigned half_at(std::uint32_t at) {
    unsigned short half;
    asm volatile("ld.shared.u16 %0, [%1];" : "=h"(half) : "r"(at) : "memory");
    return permuted(half, 0, 0x4140);
  }
};

}  // namespace tilemeter::kernels
