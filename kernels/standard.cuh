// The steps of standard attention on the tensor cores: GEMM tiles and rows of the softmax; `standard.cu` puts them
// together.
#pragma once

#include <cmath>

#include "kernels/mma.cuh"
#include "kernels/visibility.hpp"

namespace tilemeter::kernels::standard_steps {

/// How B lies in memory: a row for every column of the product (K in Q K^T), or a row for every term of its sums (V in
/// P V).
enum class Layout { column_rows, sum_rows };

/// A block of a GEMM: `M` x `N` of the product, its sums in pieces of `Piece` terms that pass through a ring of
/// `Stages`. The warps form a grid of WarpsM x WarpsN.
template <class Element, int M, int N, int Piece, int Stages, int WarpsM, int WarpsN, Layout BLayout>
struct GemmShape {
  using T = Element;
  static constexpr int m = M, n = N, piece = Piece, stages = Stages, warps_n = WarpsN;
  static constexpr Layout layout = BLayout;
  static constexpr int threads = WarpsM * WarpsN * 32;
  static constexpr int warp_m = m / WarpsM, warp_n = n / WarpsN;
  static constexpr int row_tiles = warp_m / 16;  ///< tiles of 16 rows of a warp
  static constexpr int pairs = warp_n / 16;      ///< pairs of its tiles of 8 columns
  static constexpr int steps = piece / 16;
  static_assert(warp_m % 16 == 0 && warp_n % 16 == 0 && piece % 32 == 0 && stages >= 2);

  using ATile = SwizzledTile<m, piece>;
  using BTile = std::conditional_t<layout == Layout::column_rows, SwizzledTile<n, piece>, SwizzledTile<piece, n>>;
  using CTile = SwizzledTile<m, n>;  ///< takes the place of the ring in the end
  static constexpr int stage = ATile::size + BTile::size;
  static constexpr int shared = stages * stage > CTile::size ? stages* stage : CTile::size;

  __device__ static int warp_row() { return static_cast<int>(threadIdx.x) / 32 / warps_n * warp_m; }
  __device__ static int warp_column() { return static_cast<int>(threadIdx.x) / 32 % warps_n * warp_n; }
};

template <class G>
using Sums = Accumulator[G::row_tiles][G::pairs * 2];

template <class G>
struct Ring {
  unsigned base;

  __device__ typename G::ATile a(int stage) const { return {base + stage * G::stage}; }
  __device__ typename G::BTile b(int stage) const { return {a(stage).base + G::ATile::size}; }
  __device__ typename G::CTile c() const { return {base}; }
};

/// Operands of one step of 16 terms.
template <class G>
struct Operands {
  Fragment a[G::row_tiles];
  Fragment b[G::pairs];
};

template <class G>
__device__ void load_operands(Operands<G>& to, unsigned a_lane, unsigned b_lane, int step) {
#pragma unroll
  for (int i = 0; i < G::row_tiles; ++i) load_matrices(to.a[i], G::ATile::moved(a_lane, i * 16, step * 2));
#pragma unroll
  for (int pair = 0; pair < G::pairs; ++pair) {
    if constexpr (G::layout == Layout::column_rows) {
      load_matrices(to.b[pair], G::BTile::moved(b_lane, pair * 16, step * 2));
    } else {
      load_matrices_transposed(to.b[pair], G::BTile::moved(b_lane, step * 16, pair * 2));
    }
  }
}

/// C += A B for one piece. The operands of the next step are on their way while this one's are multiplied.
template <class G>
__device__ void multiply_piece(Sums<G>& c, const typename G::ATile& a, const typename G::BTile& b) {
  const unsigned a_lane = a.lane_of_rows() + G::warp_row() * G::ATile::pitch;
  unsigned b_lane;
  if constexpr (G::layout == Layout::column_rows) {
    b_lane = b.lane_of_columns() + G::warp_column() * G::BTile::pitch;
  } else {
    const int lane = threadIdx.x % 32;
    b_lane = b.at(lane % 16, lane / 16 + G::warp_column() / chunk_elements);
  }
  Operands<G> operands[2];
  load_operands<G>(operands[0], a_lane, b_lane, 0);
#pragma unroll
  for (int step = 0; step < G::steps; ++step) {
    if (step + 1 < G::steps) load_operands<G>(operands[(step + 1) % 2], a_lane, b_lane, step + 1);
    const Operands<G>& now = operands[step % 2];
#pragma unroll
    for (int pair = 0; pair < G::pairs; ++pair) {
#pragma unroll
      for (int i = 0; i < G::row_tiles; ++i) {
        multiply_add<typename G::T>(c[i][2 * pair], now.a[i], now.b[pair][0], now.b[pair][1]);
        multiply_add<typename G::T>(c[i][2 * pair + 1], now.a[i], now.b[pair][2], now.b[pair][3]);
      }
    }
  }
}

/// C = A B in `pieces` pieces; `load(piece, stage)` starts the copies of a piece.
template <class G, class Load>
__device__ void multiply(Sums<G>& c, const Ring<G>& ring, int pieces, Load load) {
#pragma unroll
  for (auto& rows : c) {
#pragma unroll
    for (auto& sums : rows) sums[0] = sums[1] = sums[2] = sums[3] = 0;
  }
#pragma unroll
  for (int piece = 0; piece < G::stages - 1; ++piece) {
    if (piece < pieces) load(piece, piece);
    commit_copies();
  }
  int stage = 0;
  for (int piece = 0; piece < pieces; ++piece) {
    wait_for_copies<G::stages - 2>();
    __syncthreads();
    const int ahead = piece + G::stages - 1;
    if (ahead < pieces) load(ahead, stage == 0 ? G::stages - 1 : stage - 1);
    commit_copies();
    multiply_piece<G>(c, ring.a(stage), ring.b(stage));
    stage = stage + 1 == G::stages ? 0 : stage + 1;
  }
}

/// What a tile covers of a row-major matrix, and whether its rows begin at multiples of 16 bytes.
template <class T>
struct Part {
  T* from;
  Count stride;
  Count rows;
  Count columns;
  bool aligned = true;
};

/// Elements of a chunk of a row with `left` elements before its end.
__device__ inline int valid_elements(Count left) { return static_cast<int>(clamp(left, 0, chunk_elements)); }

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

/// Copies of a tile of which columns may be missing too. Rows that are not aligned are loaded at once.
template <int Threads, int Rows, int Width, class T, class Counters>
__device__ void copy_part(const SwizzledTile<Rows, Width>& tile, const Part<const T>& part, TensorName tensor,
                          Counters& counters) {
  for_each_chunk<Threads>(tile, [&](int row, int chunk, unsigned address) {
    const int valid = row < part.rows ? valid_elements(part.columns - chunk * chunk_elements) : 0;
    const T* from = part.from + row * part.stride + chunk * chunk_elements;
    if (valid == 0) {
      clear_chunk(address);
    } else if (part.aligned) {
      copy_async(address, from);
      counters.read(tensor, chunk_elements);
    } else {
      store_chunk(address, gather(from, valid));
      counters.read(tensor, valid);
    }
  });
}

/// Rounds C, times `factor`, and stores it by way of shared memory, so that device memory sees 16-byte stores.
template <class G, class Counters>
__device__ void store_product(const Sums<G>& c, const Ring<G>& ring, float factor, const Part<typename G::T>& part,
                              TensorName tensor, Counters& counters) {
  using T = typename G::T;
  const auto tile = ring.c();
  const int lane = threadIdx.x % 32;
  __syncthreads();
#pragma unroll
  for (int i = 0; i < G::row_tiles; ++i) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int row = G::warp_row() + i * 16 + half * 8 + lane / 4;
#pragma unroll
      for (int n = 0; n < G::pairs * 2; ++n) {
        const Accumulator& sums = c[i][n];
        const unsigned pair = packed<T>(sums[half * 2] * factor, sums[half * 2 + 1] * factor);
        store_pair(tile.at(row, G::warp_column() / chunk_elements + n) + lane % 4 * 4, pair);
      }
    }
  }
  __syncthreads();
  for_each_chunk<G::threads>(tile, [&](int row, int chunk, unsigned address) {
    if (row >= part.rows) return;
    const int valid = valid_elements(part.columns - chunk * chunk_elements);
    T* to = part.from + row * part.stride + chunk * chunk_elements;
    if (part.aligned && valid != 0) {
      *reinterpret_cast<uint4*>(to) = load_chunk(address);
      counters.write(tensor, chunk_elements);
    } else if (valid != 0) {
      scatter(to, load_chunk(address), valid);
      counters.write(tensor, valid);
    }
  });
}

/// Values of a row that one thread holds: chunks thread, thread + Threads, ... of the row.
template <int Chunks>
using RowValues = float[Chunks][chunk_elements];

struct Largest {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};
struct Sum {
  __device__ float operator()(float a, float b) const { return a + b; }
};

/// `value` of all `Threads` threads of a row, reduced; several warps are all of their block.
template <int Threads, class Reduce>
__device__ float over_row(float value, Reduce reduce) {
  constexpr int warps = Threads / 32;
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) {
    value = reduce(value, __shfl_xor_sync(~0u, value, distance));
  }
  if constexpr (warps > 1) {
    __shared__ float of_warps[warps];
    __syncthreads();
    if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = value;
    __syncthreads();
    value = of_warps[0];
    for (int warp = 1; warp < warps; ++warp) value = reduce(value, of_warps[warp]);
  }
  return value;
}

/// A row of S and of P, and the keys that it sees.
template <class T>
struct Row {
  const T* s;
  T* p;
  Count keys;
  Range seen;
  bool aligned;
};

template <class T, class Counters>
__device__ uint4 load_scores(const Row<T>& row, Count first, Counters& counters) {
  const int valid = valid_elements(row.keys - first);
  uint4 chunk = {0, 0, 0, 0};
  if (row.aligned && valid != 0) {
    chunk = *reinterpret_cast<const uint4*>(row.s + first);
    counters.read(TensorName::S, chunk_elements);
  } else if (valid != 0) {
    chunk = gather(row.s + first, valid);
    counters.read(TensorName::S, valid);
  }
  return chunk;
}

/// The scores of a chunk as floats, -infinity where the row does not see the key.
template <class T>
__device__ void unpack_visible(float (&values)[chunk_elements], const uint4& chunk, const Row<T>& row, Count first) {
  const unsigned pairs[] = {chunk.x, chunk.y, chunk.z, chunk.w};
#pragma unroll
  for (int i = 0; i < chunk_elements / 2; ++i) {
    const float2 pair = unpacked<T>(pairs[i]);
    values[2 * i] = pair.x;
    values[2 * i + 1] = pair.y;
  }
  if (first >= row.seen.first && first + chunk_elements <= row.seen.last) return;
#pragma unroll
  for (int i = 0; i < chunk_elements; ++i) {
    if (first + i < row.seen.first || first + i >= row.seen.last) values[i] = -INFINITY;
  }
}

template <class T, class Counters>
__device__ void store_weights(const Row<T>& row, Count first, const float (&values)[chunk_elements], float factor,
                              Counters& counters) {
  const int valid = valid_elements(row.keys - first);
  const uint4 chunk = {
      packed<T>(values[0] * factor, values[1] * factor), packed<T>(values[2] * factor, values[3] * factor),
      packed<T>(values[4] * factor, values[5] * factor), packed<T>(values[6] * factor, values[7] * factor)};
  if (row.aligned && valid != 0) {
    *reinterpret_cast<uint4*>(row.p + first) = chunk;
    counters.write(TensorName::P, chunk_elements);
  } else if (valid != 0) {
    scatter(row.p + first, chunk, valid);
    counters.write(TensorName::P, valid);
  }
}

inline constexpr float log2_of_e = 1.4426950408889634f;

/// The exponent's base for a maximum m: 0 stands in for -infinity, that of a row that sees no key.
__device__ inline float log2_base(float m) { return m == -INFINITY ? 0 : m * log2_of_e; }

__device__ inline float reciprocal_or_zero(float sum) { return sum == 0 ? 0 : 1 / sum; }

/// P = softmax(S) of one row, which `Threads` threads hold on chip in `Chunks` chunks each.
template <int Threads, int Chunks, class T, class Counters>
__device__ void resident_row(const Row<T>& row, Counters& counters) {
  const int thread = threadIdx.x % Threads;
  const auto first_of = [&](int i) { return Count{(thread + i * Threads) * chunk_elements}; };
  uint4 chunks[Chunks];
#pragma unroll
  for (int i = 0; i < Chunks; ++i) chunks[i] = load_scores(row, first_of(i), counters);
  RowValues<Chunks> values;
  float m = -INFINITY;
#pragma unroll
  for (int i = 0; i < Chunks; ++i) {
    unpack_visible(values[i], chunks[i], row, first_of(i));
    for (const float value : values[i]) m = fmaxf(m, value);
  }
  const float base = log2_base(over_row<Threads>(m, Largest()));
  float sum = 0;
#pragma unroll
  for (auto& chunk : values) {
#pragma unroll
    for (float& value : chunk) {
      value = exp2_approximate(fmaf(value, log2_of_e, -base));
      sum += value;
    }
  }
  const float factor = reciprocal_or_zero(over_row<Threads>(sum, Sum()));
#pragma unroll
  for (int i = 0; i < Chunks; ++i) store_weights(row, first_of(i), values[i], factor, counters);
}

/// P = softmax(S) of one row of any length in two passes: statistics, then weights.
template <int Threads, class T, class Counters>
__device__ void two_pass_row(const Row<T>& row, Counters& counters) {
  float m = -INFINITY, sum = 0;
  for (Count first = threadIdx.x * chunk_elements; first < row.keys; first += Threads * chunk_elements) {
    float values[chunk_elements];
    unpack_visible(values, load_scores(row, first, counters), row, first);
    float largest = m;
    for (const float value : values) largest = fmaxf(largest, value);
    const float base = log2_base(largest);
    sum *= exp2_approximate(fmaf(m, log2_of_e, -base));
    for (const float value : values) sum += exp2_approximate(fmaf(value, log2_of_e, -base));
    m = largest;
  }
  const float base = log2_base(over_row<Threads>(m, Largest()));
  sum *= exp2_approximate(fmaf(m, log2_of_e, -base));
  const float factor = reciprocal_or_zero(over_row<Threads>(sum, Sum()));
  for (Count first = threadIdx.x * chunk_elements; first < row.keys; first += Threads * chunk_elements) {
    float values[chunk_elements];
    unpack_visible(values, load_scores(row, first, counters), row, first);
    for (float& value : values) value = exp2_approximate(fmaf(value, log2_of_e, -base));
    store_weights(row, first, values, factor, counters);
  }
}

}  // namespace tilemeter::kernels::standard_steps
