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

/// Two int8, each in a half above 0x43, as bf16. From 128 on the step of bf16 is 1, so that its last seven bits count:
/// x is 128 and the low seven bits of x, less 128, or less 256 where x is negative. All of it is exact.
__device__ inline unsigned exact_pair(unsigned biased) {
  unsigned pair;
  asm("sub.rn.bf16x2 %0, %1, %2;" : "=r"(pair) : "r"(biased & 0xFF7FFF7FU), "r"(biased & 0xFF80FF80U));
  return pair;
}

/// A scale that fp16 holds, as the sum of two bf16, each in both halves: they hold its eight bits and the rest.
class TwoPartScale {
 public:
  __device__ explicit TwoPartScale(float scale = 0) {
    const unsigned bits = __float_as_uint(scale);
    const float rest = scale - __uint_as_float(bits & 0xFFFF0000U);
    coarse_ = permuted(bits, 0, 0x3232);
    rest_ = permuted(__float_as_uint(rest), 0, 0x3232);
  }
  /// Two integers times the scale, rounded to bf16 as good as once: the product with the rest is a 256th.
  __device__ unsigned times(unsigned pair) const {
    unsigned product;
    asm("{\n"
        ".reg .b32 rest;\n"
        "mul.rn.bf16x2 rest, %1, %3;\n"
        "fma.rn.bf16x2 %0, %1, %2, rest;\n"
        "}"
        : "=r"(product)
        : "r"(pair), "r"(coarse_), "r"(rest_));
    return product;
  }

 private:
  unsigned coarse_, rest_;
};

/// 16 rows x 16 columns of int8 as a warp's part of a product's left operand: lane l holds columns 2 (l mod 4) and the
/// next, and those eight further on, of rows l / 4 and l / 4 + 8.
struct Int8Fragment {
  unsigned pairs[4];  ///< as `exact_pair` takes them, in the order of Fragment

  /// Where a lane finds its first two weights of chunk 0, from the first of its warp's rows of a swizzled tile on.
  static __device__ std::uint32_t offset_of_lane() {
    const int lane = threadIdx.x % warp_size;
    return lane / 4 * (swizzle_row + 16) + lane % 4 * 2;
  }

  /// Reads chunk `chunk` of the rows; `lane` is the address of `offset_of_lane`, and rows start at multiples of eight.
  __device__ Int8Fragment(std::uint32_t lane, int chunk) {
    const std::uint32_t at = lane ^ (chunk * 16);
    pairs[0] = biased_pair(at);
    pairs[1] = biased_pair(at + swizzle_atom);
    pairs[2] = biased_pair(at + 8);
    pairs[3] = biased_pair(at + swizzle_atom + 8);
  }

 private:
  static __device__ unsigned biased_pair(std::uint32_t at) {
    unsigned short pair;
    asm volatile("ld.shared.u16 %0, [%1];" : "=h"(pair) : "r"(at) : "memory");
    return permuted(pair, 0x43000000U, 0x7170);
  }
};

}  // namespace tilemeter::kernels
