// The products of standard attention on the tensor cores since sm_80, step by step; `standard.cu` puts the steps
// together.
#pragma once

#include "kernels/unaligned.cuh"

namespace tilemeter::kernels::standard_steps {

/// How B lies in memory: a row for every column of the product (K in Q K^T), or a row for every term of its sums (V in
/// P V).
enum class Layout { column_rows, sum_rows };

/// A block of a GEMM: `M` x `N` of the product, its sums in pieces of `Piece` terms that pass through a ring of
/// `Stages`. The warps form a grid of WarpsM x WarpsN.
template <class Element, int M, int N, int Piece, int Stages, int WarpsM, int WarpsN, int Resident, Layout BLayout>
struct GemmShape {
  using T = Element;
  static constexpr int m = M, n = N, piece = Piece, stages = Stages, warps_n = WarpsN;
  static constexpr int resident = Resident;  ///< blocks that must fit on an SM: bounds the registers
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

/// Stores what a tile in shared memory has of a matrix.
template <int Threads, int Rows, int Width, class T, class Counters>
__device__ void store_part(const SwizzledTile<Rows, Width>& tile, const Part<T>& part, TensorName tensor,
                           Counters& counters) {
  for_each_chunk<Threads>(tile, [&](int row, int chunk, unsigned address) {
    if (row >= part.rows) return;
    const int valid = valid_elements(part.columns - chunk * chunk_elements);
    T* to = part.from + row * part.stride + chunk * chunk_elements;
    if (part.aligned && valid != 0) {
      write_chunk(to, load_chunk(address));
      counters.write(tensor, chunk_elements);
    } else if (valid != 0) {
      scatter(to, load_chunk(address), valid);
      counters.write(tensor, valid);
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
  store_part<G::threads>(tile, part, tensor, counters);
}

}  // namespace tilemeter::kernels::standard_steps
