// Tensor-core steps of sm_80 and later by name, and the tiles of 16-bit elements that they read.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <type_traits>

#include "kernels/counters.cuh"

namespace tilemeter::kernels {

/// Whether T is an element type of the tensor cores here.
template <class T>
inline constexpr bool is_half_precision = std::is_same_v<T, __half> || std::is_same_v<T, __nv_bfloat16>;

/// Four 8x8 matrices of 16-bit elements over the lanes of a warp. Lane i holds of each matrix the elements
/// 2 (i mod 4) and 2 (i mod 4) + 1 of row i / 4. The A operand of an mma (16 rows x 16 of the sum): rows 0-7 and 8-15
/// of its first eight columns, then of its last eight. Two B operands (16 of the sum x 8 columns): first and last eight
/// of the sum of one, then of the other.
using Fragment = unsigned[4];

/// 16x8 sums in fp32. Lane i holds columns 2 (i mod 4) and 2 (i mod 4) + 1 of row i / 4, then of row i / 4 + 8.
using Accumulator = float[4];

/// The address of shared memory that the instructions below take.
__device__ inline unsigned shared_address(const void* memory) {
  return static_cast<unsigned>(__cvta_generic_to_shared(memory));
}

/// ldmatrix: lanes 8 i to 8 i + 7 name the eight rows (16 bytes each, aligned) of matrix i.
__device__ inline void load_matrices(Fragment& to, unsigned address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(address)
               : "memory");
}

/// The same with each matrix transposed.
__device__ inline void load_matrices_transposed(Fragment& to, unsigned address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(address)
               : "memory");
}

/// sums += A B: mma.sync m16n8k16 with A from a fragment and B from half of one (b0: first eight of the sum, b1: last
/// eight).
template <class T>
__device__ void multiply_add(Accumulator& sums, const Fragment& a, unsigned b0, unsigned b1) {
  static_assert(is_half_precision<T>);
  if constexpr (std::is_same_v<T, __half>) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
  } else {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
  }
}

/// Two floats, rounded to nearest even, as two neighbouring elements; `first` in the low half.
template <class T>
__device__ unsigned packed(float first, float second) {
  static_assert(is_half_precision<T>);
  unsigned pair;
  if constexpr (std::is_same_v<T, __half>) {
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
  } else {
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
  }
  return pair;
}

/// 2^x by the special-function unit: relative error below 2^-22, and 0 for -infinity.
__device__ inline float exp2_approximate(float x) {
  float power;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
  return power;
}

/// Starts a copy of 16 bytes from device to shared memory, past the L1.
__device__ inline void copy_async(unsigned to, const void* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" : : "r"(to), "l"(from) : "memory");
}

/// Closes the group of copies that this thread started since the last one.
__device__ inline void commit_copies() { asm volatile("cp.async.commit_group;" : : : "memory"); }

/// Waits until at most `Pending` of this thread's groups, the youngest, are on their way. Other threads see the copies
/// after a barrier.
template <int Pending>
__device__ void wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" : : "n"(Pending) : "memory");
}

/// Elements of 16 bits in the 16-byte chunks that tiles are made of.
inline constexpr int chunk_elements = 8;

/// Sets a chunk in shared memory to zero.
__device__ inline void clear_chunk(unsigned address) {
  asm volatile("st.shared.v4.b32 [%0], {%1, %1, %1, %1};" : : "r"(address), "r"(0) : "memory");
}

__device__ inline uint4 load_chunk(unsigned address) {
  uint4 chunk;
  asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
               : "=r"(chunk.x), "=r"(chunk.y), "=r"(chunk.z), "=r"(chunk.w)
               : "r"(address)
               : "memory");
  return chunk;
}

__device__ inline float load_float(unsigned address) {
  float value;
  asm volatile("ld.shared.f32 %0, [%1];" : "=f"(value) : "r"(address) : "memory");
  return value;
}

__device__ inline void store_float(unsigned address, float value) {
  asm volatile("st.shared.f32 [%0], %1;" : : "r"(address), "f"(value) : "memory");
}

/// Puts two neighbouring elements into shared memory.
__device__ inline void store_pair(unsigned address, unsigned pair) {
  asm volatile("st.shared.b32 [%0], %1;" : : "r"(address), "r"(pair) : "memory");
}

/// Where the spans of a tile's rows lie: one after another, or those of all rows before the next of each, as wgmma
/// takes them.
enum class Spans { by_row, by_panel };

/// A tile of `Rows` x `Width` 16-bit elements in shared memory without padding. Within every span (128 bytes, or 64
/// where the width is an odd multiple of 32) the chunks of a row are stored in an order that an XOR with the row gives,
/// so that eight rows of one chunk, and eight chunks of one row, lie in different banks.
template <int Rows, int Width, Spans Order = Spans::by_row>
struct SwizzledTile {
  static constexpr int rows = Rows, width = Width;
  static constexpr int size = Rows * Width * 2;
  static constexpr int span = Width % 64 == 0 ? 128 : 64;
  static constexpr int span_chunks = span / 16;
  static constexpr int pitch = Order == Spans::by_row ? Width * 2 : span;    ///< bytes from row to row
  static constexpr int panel = Order == Spans::by_row ? span : Rows * span;  ///< bytes from span to span
  static_assert(Rows % 8 == 0 && Width % 32 == 0);

  unsigned base;  ///< shared address, aligned to 128 bytes

  /// The address of a chunk.
  __device__ unsigned at(int row, int chunk) const {
    const int turn = span == 128 ? row % 8 : row / 2 % 4;
    return base + row * pitch + chunk / span_chunks * panel + ((chunk % span_chunks) ^ turn) * 16;
  }

  /// The address of a chunk `rows` (a multiple of 8) below and `chunks` to the right of the one at `start`: an even
  /// number from chunk 0 or 1, or whole spans from any. With constants it takes one XOR that addresses of other rows
  /// share.
  __device__ static unsigned moved(unsigned start, int rows, int chunks) {
    return (start ^ (chunks % span_chunks * 16)) + rows * pitch + chunks / span_chunks * panel;
  }

  /// What this lane hands to load_matrices for the A operand of rows 0-15 and columns 0-15, and to
  /// load_matrices_transposed for two B operands whose sum runs down the tile: sum over rows 0-15, columns 0-7, 8-15.
  __device__ unsigned lane_of_rows() const {
    const int lane = threadIdx.x % 32;
    return at(lane % 16, lane / 16);
  }

  /// What this lane hands to load_matrices for two B operands whose sum runs along the rows: columns of the product
  /// are rows 0-7 and 8-15, sum over columns 0-15.
  __device__ unsigned lane_of_columns() const {
    const int lane = threadIdx.x % 32;
    return at(lane % 8 + lane / 16 * 8, lane / 8 % 2);
  }
};

/// How the threads of a block share the chunks of a tile: each begins at `row()` and `chunk()` and steps from there.
template <int Threads, class Tile>
struct ChunkWalk {
  static constexpr int rows_at_once = Threads / Tile::span_chunks;
  static_assert(Threads % (8 * Tile::span_chunks) == 0, "a thread's rows are equal modulo 8");

  __device__ static int row() { return threadIdx.x / Tile::span_chunks; }
  __device__ static int chunk() { return threadIdx.x % Tile::span_chunks; }

  /// Calls `body(down, right)` with the constant distances of every chunk of this thread.
  template <class Body>
  __device__ static void for_each(Body body) {
#pragma unroll
    for (int down = 0; down < Tile::rows; down += rows_at_once) {
      if (Tile::rows % rows_at_once != 0 && row() + down >= Tile::rows) break;
#pragma unroll
      for (int right = 0; right < Tile::width / chunk_elements; right += Tile::span_chunks) body(down, right);
    }
  }
};

/// Calls `body(row, chunk, address)` for every chunk of a tile, each in one thread of the block.
template <int Threads, int Rows, int Width, Spans Order, class Body>
__device__ void for_each_chunk(const SwizzledTile<Rows, Width, Order>& tile, Body body) {
  using Walk = ChunkWalk<Threads, SwizzledTile<Rows, Width, Order>>;
  const unsigned start = tile.at(Walk::row(), Walk::chunk());
  Walk::for_each(
      [&](int down, int right) { body(Walk::row() + down, Walk::chunk() + right, tile.moved(start, down, right)); });
}

/// Starts the copies of the first `valid` rows of a row-major matrix, `stride` elements apart, and sets the rest of the
/// tile to zero, which moves nothing. All threads of the block call it. `from` and `stride` are multiples of 16 bytes.
template <int Threads, int Rows, int Width, Spans Order, class T, class Counters>
__device__ void copy_rows(const SwizzledTile<Rows, Width, Order>& tile, const T* from, Count stride, Count valid,
                          TensorName tensor, Counters& counters) {
  static_assert(is_half_precision<T>);
  using Walk = ChunkWalk<Threads, SwizzledTile<Rows, Width, Order>>;
  const unsigned to = tile.at(Walk::row(), Walk::chunk());
  const T* own = from + Walk::row() * stride + Walk::chunk() * chunk_elements;
  const int below = static_cast<int>(valid < Rows ? valid : Rows) - Walk::row();
  Walk::for_each([&](int down, int right) {
    if (down < below) {
      copy_async(tile.moved(to, down, right), own + down * stride + right * chunk_elements);
      counters.read(tensor, chunk_elements);
    } else {
      clear_chunk(tile.moved(to, down, right));
    }
  });
}

/// The same when all rows are valid.
template <int Threads, int Rows, int Width, Spans Order, class T, class Counters>
__device__ void copy_all_rows(const SwizzledTile<Rows, Width, Order>& tile, const T* from, Count stride,
                              TensorName tensor, Counters& counters) {
  static_assert(is_half_precision<T>);
  using Walk = ChunkWalk<Threads, SwizzledTile<Rows, Width, Order>>;
  const unsigned to = tile.at(Walk::row(), Walk::chunk());
  const T* own = from + Walk::row() * stride + Walk::chunk() * chunk_elements;
  Walk::for_each([&](int down, int right) {
    copy_async(tile.moved(to, down, right), own + down * stride + right * chunk_elements);
    counters.read(tensor, chunk_elements);
  });
}

__device__ inline unsigned load_pair(unsigned address) {
  unsigned pair;
  asm volatile("ld.shared.b32 %0, [%1];" : "=r"(pair) : "r"(address) : "memory");
  return pair;
}

__device__ inline void store_chunk(unsigned address, const uint4& chunk) {
  asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};"
               :
               : "r"(address), "r"(chunk.x), "r"(chunk.y), "r"(chunk.z), "r"(chunk.w)
               : "memory");
}

/// Stores 16 aligned bytes to device memory by one instruction. Of an assignment the compiler makes four now and then,
/// each of which fills a quarter of every sector that it touches.
__device__ inline void write_chunk(void* to, const uint4& chunk) {
  asm volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};"
               :
               : "l"(to), "r"(chunk.x), "r"(chunk.y), "r"(chunk.z), "r"(chunk.w)
               : "memory");
}

/// The same with two neighbouring floats.
__device__ inline void write_floats(void* to, float first, float second) {
  asm volatile("st.global.v2.f32 [%0], {%1, %2};" : : "l"(to), "f"(first), "f"(second) : "memory");
}

/// Two neighbouring elements as floats.
template <class T>
__device__ float2 unpacked(unsigned pair) {
  static_assert(is_half_precision<T>);
  if constexpr (std::is_same_v<T, __half>) {
    return __half22float2(reinterpret_cast<const __half2&>(pair));
  } else {
    return {__uint_as_float(pair << 16), __uint_as_float(pair & 0xFFFF0000u)};
  }
}

/// Over the four lanes that hold a row of an accumulator.
__device__ inline float max_of_quad(float value) {
  value = fmaxf(value, __shfl_xor_sync(~0u, value, 1));
  return fmaxf(value, __shfl_xor_sync(~0u, value, 2));
}

__device__ inline float sum_of_quad(float value) {
  value += __shfl_xor_sync(~0u, value, 1);
  return value + __shfl_xor_sync(~0u, value, 2);
}

}  // namespace tilemeter::kernels
