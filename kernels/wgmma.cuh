// Matrix products of a warpgroup (wgmma) on operands in shared memory, for fp16, bf16 and e4m3 with sums in fp32.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/hopper.cuh"

namespace tilemeter::kernels {

/// Which dimension of an operand is contiguous: the one that is summed over, or that of its rows (A) or columns (B).
enum class Major { k, mn };

/// Where an operand lies in shared memory, as wgmma takes it.
using Descriptor = std::uint64_t;

namespace detail {

/// Byte distances are in units of 16; mode 1 is the swizzle of 128 bytes, 2 that of 64.
inline __device__ Descriptor descriptor(std::uint32_t address, int leading, int stride, Descriptor mode = 1) {
  return mode << 62 | Descriptor((address & 0x3FFFF) >> 4) | Descriptor(leading >> 4) << 16 |
         Descriptor(stride >> 4) << 32;
}

}  // namespace detail

/// A tile whose swizzled rows run along k: 64 elements of one row (A) or column (B) of the operand each.
inline __device__ Descriptor k_major(std::uint32_t address) { return detail::descriptor(address, 16, swizzle_atom); }

/// The same for rows of 128 or 64 bytes, of which 64-byte ones swizzle within themselves: 16-byte chunk c of row r
/// stands in the place c XOR (r / 2 mod 4).
template <int RowBytes>
__device__ Descriptor k_major_rows(std::uint32_t address) {
  static_assert(RowBytes == 128 || RowBytes == 64);
  return detail::descriptor(address, 16, 8 * RowBytes, RowBytes == 128 ? 1 : 2);
}

/// A tile whose swizzled rows run along m or n: panels of 64 elements side by side, `panel_bytes` apart, of one row for
/// each k.
inline __device__ Descriptor mn_major(std::uint32_t address, int panel_bytes) {
  return detail::descriptor(address, panel_bytes, swizzle_atom);
}

/// The tile's part from the k-th element of the sum on: a multiple of 16, below 64 for Major::k.
template <Major major>
__device__ Descriptor from_k(Descriptor tile, int k) {
  return tile + (major == Major::k ? k * 2 : k * swizzle_row) / 16;
}

/// The accumulators were last touched before this point, and wgmma may now write them.
template <int Size>
__device__ void fence_accumulators(float (&c)[Size]) {
#pragma unroll
  for (int i = 0; i < Size; ++i) asm volatile("" : "+f"(c[i])::"memory");
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
/// Makes a group of the products since the last.
inline __device__ void commit_products() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
/// Waits until at most the latest `Pending` groups are unfinished.
template <int Pending, int Size>
__device__ void wait_products(float (&c)[Size]) {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Pending) : "memory");
#pragma unroll
  for (int i = 0; i < Size; ++i) asm volatile("" : "+f"(c[i])::"memory");
}

// Operand lists of inline assembly: the names of tens of accumulators, of all of them, and eight accumulators.
#define TILEMETER_TEN(t) \
  "%" #t "0, %" #t "1, %" #t "2, %" #t "3, %" #t "4, %" #t "5, %" #t "6, %" #t "7, %" #t "8, %" #t "9, "
#define TILEMETER_NAMES_8 "%0, %1, %2, %3, %4, %5, %6, %7"
#define TILEMETER_30 TILEMETER_TEN() TILEMETER_TEN(1) TILEMETER_TEN(2)
#define TILEMETER_60 TILEMETER_30 TILEMETER_TEN(3) TILEMETER_TEN(4) TILEMETER_TEN(5)
#define TILEMETER_90 TILEMETER_60 TILEMETER_TEN(6) TILEMETER_TEN(7) TILEMETER_TEN(8)
#define TILEMETER_NAMES_32 TILEMETER_30 "%30, %31"
#define TILEMETER_NAMES_40 TILEMETER_30 "%30, %31, %32, %33, %34, %35, %36, %37, %38, %39"
#define TILEMETER_NAMES_64 TILEMETER_60 "%60, %61, %62, %63"
#define TILEMETER_NAMES_80 TILEMETER_60 TILEMETER_TEN(6) "%70, %71, %72, %73, %74, %75, %76, %77, %78, %79"
#define TILEMETER_NAMES_96 TILEMETER_90 "%90, %91, %92, %93, %94, %95"
#define TILEMETER_NAMES_112 TILEMETER_90 TILEMETER_TEN(9) TILEMETER_TEN(10) "%110, %111"
#define TILEMETER_NAMES_128 \
  TILEMETER_90 TILEMETER_TEN(9) TILEMETER_TEN(10) TILEMETER_TEN(11) "%120, %121, %122, %123, %124, %125, %126, %127"
#define TILEMETER_EIGHT(i)                                                                                    \
  "+f"(c[i]), "+f"(c[i + 1]), "+f"(c[i + 2]), "+f"(c[i + 3]), "+f"(c[i + 4]), "+f"(c[i + 5]), "+f"(c[i + 6]), \
      "+f"(c[i + 7])
#define TILEMETER_SUMS_8 TILEMETER_EIGHT(0)
#define TILEMETER_SUMS_32 TILEMETER_EIGHT(0), TILEMETER_EIGHT(8), TILEMETER_EIGHT(16), TILEMETER_EIGHT(24)
#define TILEMETER_SUMS_40 TILEMETER_SUMS_32, TILEMETER_EIGHT(32)
#define TILEMETER_SUMS_64 TILEMETER_SUMS_40, TILEMETER_EIGHT(40), TILEMETER_EIGHT(48), TILEMETER_EIGHT(56)
#define TILEMETER_SUMS_80 TILEMETER_SUMS_64, TILEMETER_EIGHT(64), TILEMETER_EIGHT(72)
#define TILEMETER_SUMS_96 TILEMETER_SUMS_80, TILEMETER_EIGHT(80), TILEMETER_EIGHT(88)
#define TILEMETER_SUMS_112 TILEMETER_SUMS_96, TILEMETER_EIGHT(96), TILEMETER_EIGHT(104)
#define TILEMETER_SUMS_128 \
  TILEMETER_SUMS_96, TILEMETER_EIGHT(96), TILEMETER_EIGHT(104), TILEMETER_EIGHT(112), TILEMETER_EIGHT(120)

// One instruction; the operands after the accumulators are A, B, whether to add, and the transpositions.
#define TILEMETER_WGMMA(n, type, sums, a_name, b_name, add_name, a_major_name, b_major_name)      \
  asm volatile(                                                                                   \
      "{\n"                                                                                       \
      ".reg .pred add;\n"                                                                         \
      "setp.ne.b32 add, %" #add_name                                                              \
      ", 0;\n"                                                                                    \
      "wgmma.mma_async.sync.aligned.m64n" #n "k16.f32." type "." type " {" TILEMETER_NAMES_##sums \
      "}, %" #a_name ", %" #b_name ", add, 1, 1, %" #a_major_name ", %" #b_major_name             \
      ";\n"                                                                                       \
      "}"                                                                                         \
      : TILEMETER_SUMS_##sums                                                                     \
      : "l"(a), "l"(b), "r"(static_cast<int>(add)), "n"(static_cast<int>(MajorA)), "n"(static_cast<int>(MajorB)))

/// c = a b, or c = c + a b when `add`, of 64 x 16 and 16 x N elements; asynchronous. Lane l of warp w of the warpgroup
/// has in c[4 j + i] row 16 w + l / 4 + (i < 2 ? 0 : 8), column 8 j + 2 (l mod 4) + i mod 2.
template <class Element, int N, Major MajorA, Major MajorB>
__device__ void multiply_add(float (&c)[N / 2], Descriptor a, Descriptor b, bool add) {
  constexpr bool bf16 = std::is_same_v<Element, __nv_bfloat16>;
  static_assert(is_half_precision<Element>);
  static_assert(N == 64 || N == 80 || N == 128 || N == 160 || N == 192 || N == 256 || (bf16 && N == 224));
  if constexpr (N == 224 && bf16) TILEMETER_WGMMA(224, "bf16", 112, 112, 113, 114, 115, 116);
  if constexpr (N == 64 && bf16) TILEMETER_WGMMA(64, "bf16", 32, 32, 33, 34, 35, 36);
  if constexpr (N == 64 && !bf16) TILEMETER_WGMMA(64, "f16", 32, 32, 33, 34, 35, 36);
  if constexpr (N == 80 && bf16) TILEMETER_WGMMA(80, "bf16", 40, 40, 41, 42, 43, 44);
  if constexpr (N == 80 && !bf16) TILEMETER_WGMMA(80, "f16", 40, 40, 41, 42, 43, 44);
  if constexpr (N == 128 && bf16) TILEMETER_WGMMA(128, "bf16", 64, 64, 65, 66, 67, 68);
  if constexpr (N == 128 && !bf16) TILEMETER_WGMMA(128, "f16", 64, 64, 65, 66, 67, 68);
  if constexpr (N == 160 && bf16) TILEMETER_WGMMA(160, "bf16", 80, 80, 81, 82, 83, 84);
  if constexpr (N == 160 && !bf16) TILEMETER_WGMMA(160, "f16", 80, 80, 81, 82, 83, 84);
  if constexpr (N == 192 && bf16) TILEMETER_WGMMA(192, "bf16", 96, 96, 97, 98, 99, 100);
  if constexpr (N == 192 && !bf16) TILEMETER_WGMMA(192, "f16", 96, 96, 97, 98, 99, 100);
  if constexpr (N == 256 && bf16) TILEMETER_WGMMA(256, "bf16", 128, 128, 129, 130, 131, 132);
  if constexpr (N == 256 && !bf16) TILEMETER_WGMMA(256, "f16", 128, 128, 129, 130, 131, 132);
}

// The same with A in registers.
#define TILEMETER_WGMMA_A(n, type, sums, a0, a1, a2, a3, b_name, add_name, b_major_name)          \
  asm volatile(                                                                                   \
      "{\n"                                                                                       \
      ".reg .pred add;\n"                                                                         \
      "setp.ne.b32 add, %" #add_name                                                              \
      ", 0;\n"                                                                                    \
      "wgmma.mma_async.sync.aligned.m64n" #n "k16.f32." type "." type " {" TILEMETER_NAMES_##sums \
      "}, {%" #a0 ", %" #a1 ", %" #a2 ", %" #a3 "}, %" #b_name ", add, 1, 1, %" #b_major_name     \
      ";\n"                                                                                       \
      "}"                                                                                         \
      : TILEMETER_SUMS_##sums                                                                     \
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(static_cast<int>(add)), "n"(static_cast<int>(MajorB)))

/// The same with A in registers: each warp of the warpgroup has the fragment of its 16 rows.
template <class Element, int N, Major MajorB>
__device__ void multiply_add(float (&c)[N / 2], const Fragment& a, Descriptor b, bool add) {
  constexpr bool bf16 = std::is_same_v<Element, __nv_bfloat16>;
  static_assert(is_half_precision<Element>);
  static_assert(N == 64 || N == 128 || N == 256 || (bf16 && N == 16));
  if constexpr (N == 16 && bf16) TILEMETER_WGMMA_A(16, "bf16", 8, 8, 9, 10, 11, 12, 13, 14);
  if constexpr (N == 64 && bf16) TILEMETER_WGMMA_A(64, "bf16", 32, 32, 33, 34, 35, 36, 37, 38);
  if constexpr (N == 64 && !bf16) TILEMETER_WGMMA_A(64, "f16", 32, 32, 33, 34, 35, 36, 37, 38);
  if constexpr (N == 128 && bf16) TILEMETER_WGMMA_A(128, "bf16", 64, 64, 65, 66, 67, 68, 69, 70);
  if constexpr (N == 128 && !bf16) TILEMETER_WGMMA_A(128, "f16", 64, 64, 65, 66, 67, 68, 69, 70);
  if constexpr (N == 256 && bf16) TILEMETER_WGMMA_A(256, "bf16", 128, 128, 129, 130, 131, 132, 133, 134);
  if constexpr (N == 256 && !bf16) TILEMETER_WGMMA_A(256, "f16", 128, 128, 129, 130, 131, 132, 133, 134);
}

/// Elements of type e4m3: four bits of exponent, three of mantissa.
struct E4m3 {
  unsigned char bits;
};

// The same for e4m3, 32 elements of the sum at a time; both operands run along it.
#define TILEMETER_WGMMA_E4M3(n, sums, b_name, add_name, a_names, ...)                                                 \
  asm volatile(                                                                                                       \
      "{\n"                                                                                                           \
      ".reg .pred add;\n"                                                                                             \
      "setp.ne.b32 add, %" #add_name                                                                                  \
      ", 0;\n"                                                                                                        \
      "wgmma.mma_async.sync.aligned.m64n" #n "k32.f32.e4m3.e4m3 {" TILEMETER_NAMES_##sums "}, " a_names ", %" #b_name \
                                                                                          ", add, 1, 1;\n"            \
                                                                                          "}"                         \
      : TILEMETER_SUMS_##sums                                                                                         \
      : "l"(b), "r"(static_cast<int>(add)), __VA_ARGS__)

/// c = a b, or c = c + a b when `add`, of 64 x 32 and 32 x N elements of e4m3; asynchronous, with c as above.
template <int N>
__device__ void multiply_add_e4m3(float (&c)[N / 2], Descriptor a, Descriptor b, bool add) {
  static_assert(N == 64 || N == 128 || N == 192);
  if constexpr (N == 64) TILEMETER_WGMMA_E4M3(64, 32, 32, 33, "%34", "l"(a));
  if constexpr (N == 128) TILEMETER_WGMMA_E4M3(128, 64, 64, 65, "%66", "l"(a));
  if constexpr (N == 192) TILEMETER_WGMMA_E4M3(192, 96, 96, 97, "%98", "l"(a));
}

#define TILEMETER_FRAGMENT(a) "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3])

/// The same with A in registers: four bytes a register, in the places of the 16-bit pairs of 16 elements.
template <int N>
__device__ void multiply_add_e4m3(float (&c)[N / 2], const Fragment& a, Descriptor b, bool add) {
  static_assert(N == 64 || N == 128 || N == 256);
  if constexpr (N == 64) TILEMETER_WGMMA_E4M3(64, 32, 32, 33, "{%34, %35, %36, %37}", TILEMETER_FRAGMENT(a));
  if constexpr (N == 128) TILEMETER_WGMMA_E4M3(128, 64, 64, 65, "{%66, %67, %68, %69}", TILEMETER_FRAGMENT(a));
  if constexpr (N == 256) TILEMETER_WGMMA_E4M3(256, 128, 128, 129, "{%130, %131, %132, %133}", TILEMETER_FRAGMENT(a));
}

/// Starts c = A B^T over `Depth` columns of two tiles in panels of 64 columns, of `a_panel` and `b_panel` bytes.
template <class Element, int N, int Depth>
__device__ __forceinline__ void start_row_products(float (&c)[N / 2], std::uint32_t a_tile, int a_panel,
                                                   std::uint32_t b_tile, int b_panel) {
  fence_accumulators(c);
#pragma unroll
  for (int k = 0; k < Depth; k += 16) {
    const Descriptor a = from_k<Major::k>(k_major(a_tile + k / 64 * a_panel), k % 64);
    const Descriptor b = from_k<Major::k>(k_major(b_tile + k / 64 * b_panel), k % 64);
    multiply_add<Element, N, Major::k, Major::k>(c, a, b, k > 0);
  }
  commit_products();
}

/// Starts c += A B, where A's fragments are in registers and B is a tile of N columns in panels of `panel` bytes.
template <class Element, int N, int Fragments>
__device__ __forceinline__ void start_weighted_sum(float (&c)[N / 2], const Fragment (&a)[Fragments],
                                                   std::uint32_t tile, int panel) {
  const Descriptor b = mn_major(tile, panel);
  fence_accumulators(c);
#pragma unroll
  for (int i = 0; i < Fragments; ++i) multiply_add<Element, N, Major::mn>(c, a[i], from_k<Major::mn>(b, i * 16), true);
  commit_products();
}

/// Stores 64 columns of accumulators, c[first] to c[first + 31], as a swizzled tile of 64 rows. The warpgroup calls it.
template <class Element, int Size>
__device__ void store_panel(std::uint32_t tile, const float (&c)[Size], int first) {
  const int lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size % 4;
  const int row = 16 * warp + lane % 16, half = lane / 16;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    std::uint32_t matrices[4];
#pragma unroll
    for (int j = 0; j < 4; ++j) matrices[j] = packed<Element>(c[first + 8 * i + 2 * j], c[first + 8 * i + 2 * j + 1]);
    store_matrices(swizzled(tile, row, 2 * i + half), matrices);
  }
}

#undef TILEMETER_FRAGMENT
#undef TILEMETER_WGMMA_E4M3
#undef TILEMETER_WGMMA_A
#undef TILEMETER_WGMMA
#undef TILEMETER_SUMS_128
#undef TILEMETER_SUMS_112
#undef TILEMETER_SUMS_96
#undef TILEMETER_SUMS_80
#undef TILEMETER_SUMS_64
#undef TILEMETER_SUMS_40
#undef TILEMETER_SUMS_32
#undef TILEMETER_SUMS_8
#undef TILEMETER_EIGHT
#undef TILEMETER_NAMES_128
#undef TILEMETER_NAMES_112
#undef TILEMETER_NAMES_96
#undef TILEMETER_NAMES_80
#undef TILEMETER_NAMES_64
#undef TILEMETER_NAMES_40
#undef TILEMETER_NAMES_32
#undef TILEMETER_90
#undef TILEMETER_60
#undef TILEMETER_30
#undef TILEMETER_NAMES_8
#undef TILEMETER_TEN

}  // namespace tilemeter::kernels
