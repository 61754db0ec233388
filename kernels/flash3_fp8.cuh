// What flash3 does otherwise on operands of 8 bits (e4m3).
//
// wgmma takes such operands only with the dimension that is summed over contiguous, so V comes transposed. Accumulators
// of S have pairs of neighbouring columns, where the A operand of P V takes four keys a register: a tile of K is
// brought with its rows permuted (fp8_key), so that two pairs of accumulators are the four neighbouring keys of a
// register.
#pragma once

#include "kernels/flash3_block.cuh"

namespace tilemeter::kernels::flash3_steps {

/// What scores are multiplied with, for exponents of two, and O.
struct Scales {
  float exponent = 1;
  float output = 1;
};

template <class S>
__device__ Scales scales_of(const Flash3Arguments& a, int kv_stream) {
  if constexpr (!S::fp8) return {.exponent = a.scale_log2, .output = 1};
  const float* own = a.descales + kv_stream;
  return {.exponent = a.scale_log2 * own[0] * own[a.kv_streams], .output = own[2 * a.kv_streams]};
}

/// The key that row `row` of a tile of K, and so column `row` of S, belongs to: rows 2 m and 2 m + 1 of the tile's
/// upper half have keys 4 m and 4 m + 1, those of its lower half 4 m + 2 and 4 m + 3.
template <class S>
constexpr __device__ int fp8_key(int row) {
  const int half = row / (S::block_k / 2), m = row % (S::block_k / 2) / 2;
  return 4 * m + 2 * half + row % 2;
}

/// Fetches a tile of K: keys 4 m + 2 half + i are row i of pair m of that half, which are dimensions of the map. The
/// last keys, where they are no multiple of four, come pair by pair instead; the rest of the tile is left as it is.
template <class S>
__device__ void load_fp8_keys(std::uint32_t to, const Flash3Arguments& a, const MatrixRows& at, Barrier full) {
  const int keys = a.seq_k - at.row;
  if (keys >= S::block_k || keys % 4 == 0) {
    full.arrive_expecting(S::kv_bytes);
#pragma unroll
    for (int panel = 0; panel < S::panels; ++panel) {
      load_box(to + panel * S::kv_panel, a.k, {panel * S::panel_row, 0, at.row / 4, 0, at.matrix}, full);
    }
    return;
  }
  const int pairs = (keys + 1) / 2;
  full.arrive_expecting(pairs * 2 * S::head_dim);
#pragma unroll 1
  for (int pair = 0; pair < pairs; ++pair) {
    const std::uint32_t row = pair / 2 * 2 + pair % 2 * (S::block_k / 2);
#pragma unroll 1
    for (int panel = 0; panel < S::panels; ++panel) {
      load_box(to + panel * S::kv_panel + row * S::panel_row, a.k_pairs,
               Coordinates{panel * S::panel_row, at.row + 2 * pair, at.matrix}, full);
    }
  }
}

/// Fetches a tile of V: a row of keys for every column.
template <class S>
__device__ void load_fp8_values(std::uint32_t to, const CUtensorMap& map, const MatrixRows& at, Barrier full) {
  full.arrive_expecting(S::kv_bytes);
#pragma unroll
  for (int panel = 0; panel < S::v_panels; ++panel) {
    load_box(to + panel * S::v_panel, map, Coordinates{at.row + panel * S::v_row, 0, at.matrix}, full);
  }
}

/// Fetches 64 rows of Q.
template <class S>
__device__ void load_fp8_queries(std::uint32_t to, const CUtensorMap& map, const MatrixRows& at, Barrier full) {
#pragma unroll
  for (int panel = 0; panel < S::panels; ++panel) {
    load_box(to + panel * S::q_panel, map, Coordinates{panel * S::panel_row, at.row, at.matrix}, full);
  }
}

/// Starts S = Q K^T.
template <class S>
__device__ __forceinline__ void start_fp8_scores(float (&s)[S::block_k / 2], std::uint32_t q_tile,
                                                 std::uint32_t k_tile) {
  fence_accumulators(s);
#pragma unroll
  for (int k = 0; k < S::head_dim; k += 32) {
    const int panel = k / S::panel_row, inside = k % S::panel_row / 16;
    const Descriptor q = k_major_rows<S::panel_row>(q_tile + panel * S::q_panel) + inside;
    const Descriptor keys = k_major_rows<S::panel_row>(k_tile + panel * S::kv_panel) + inside;
    multiply_add_e4m3<S::block_k>(s, q, keys, k > 0);
  }
  commit_products();
}

/// Starts O += P V.
template <class S, int Fragments>
__device__ __forceinline__ void start_fp8_weighted_sum(float (&o)[S::head_dim / 2], const Fragment (&p)[Fragments],
                                                       std::uint32_t v_tile) {
  fence_accumulators(o);
#pragma unroll
  for (int i = 0; i < Fragments; ++i) {
    const int panel = i * 32 / S::v_row, inside = i * 32 % S::v_row / 16;
    multiply_add_e4m3<S::head_dim>(o, p[i], k_major_rows<S::v_row>(v_tile + panel * S::v_panel) + inside, true);
  }
  commit_products();
}

/// S = -infinity for all keys of the tile but those from `first` to before `last`.
template <class S>
__device__ void hide_unseen_fp8(float (&s)[S::block_k / 2], int half, int thread, int first, int last) {
  const int own = thread % 4 * 4;  // a lane's columns of eight are two of its neighbour's keys further on
#pragma unroll
  for (int n = 0; n < S::block_k / 8; ++n) {
#pragma unroll
    for (int side = 0; side < 2; ++side) {
      const int key = fp8_key<S>(n * 8) + side;
      if (key < first - own || key >= last - own) s[4 * n + 2 * half + side] = -INFINITY;
    }
  }
}

/// Four floats, rounded to nearest even, as four e4m3, the first in the lowest byte; beyond 448 it is 448.
inline __device__ unsigned packed_e4m3(float a, float b, float c, float d) {
  unsigned word;
  asm("{\n"
      ".reg .b16 low, high;\n"
      "cvt.rn.satfinite.e4m3x2.f32 low, %2, %1;\n"
      "cvt.rn.satfinite.e4m3x2.f32 high, %4, %3;\n"
      "mov.b32 %0, {low, high};\n"
      "}"
      : "=r"(word)
      : "f"(a), "f"(b), "f"(c), "f"(d));
  return word;
}

/// Accumulators of S as A operands: of 32 keys, two eights of columns of the upper half and two of the lower.
template <class S, int Fragments>
__device__ void round_weights_to_fp8(Fragment (&p)[Fragments], const float (&s)[S::block_k / 2]) {
#pragma unroll
  for (int i = 0; i < Fragments; ++i) {
#pragma unroll
    for (int reg = 0; reg < 4; ++reg) {
      const int upper = 4 * (2 * i + reg / 2) + reg % 2 * 2, lower = upper + S::block_k / 4;
      p[i][reg] = packed_e4m3(s[upper], s[upper + 1], s[lower], s[lower + 1]);
    }
  }
}

/// sums += A B as mma.sync, with A and B of 32 elements of the sum.
inline __device__ void add_fp8_products(Accumulator& sums, const Fragment& a, unsigned b0, unsigned b1) {
  asm("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

}  // namespace tilemeter::kernels::flash3_steps
