// FlashAttention-1 forward: the sizes of a block, and what its warps move of Q, O, l and m.
#pragma once

#include <cmath>

#include "kernels/hopper.cuh"
#include "kernels/masked_sums.cuh"
#include "kernels/visibility.hpp"

namespace tilemeter::kernels {

/// Sizes of a block. `Stored` is the type of O in memory. A warp owns 16 rows of every row block, and goes through them
/// at its own pace: only K and V are shared, so that the warps wait for each other once a key tile.
template <class Element, class Stored, int BlockQ, int BlockK, int HeadDim, int Resident>
struct Flash1Shape {
  using T = Element;
  using O = Stored;
  static constexpr int block_q = BlockQ, block_k = BlockK, head_dim = HeadDim;
  static constexpr int resident = Resident;  ///< blocks that must fit on an SM: bounds the registers
  static constexpr int warp_rows = 16;
  static constexpr int warps = block_q / warp_rows;
  static constexpr int threads = warps * 32;
  static constexpr int q_steps = head_dim / 16;  ///< of the sum in Q K^T
  static constexpr int k_pairs = block_k / 16;   ///< pairs of 8 columns of S; steps of the sum in P V
  static constexpr int o_pairs = head_dim / 16;  ///< pairs of 8 columns of O
  /// Whether the warps multiply together, by wgmma. With O in fp32 they wait for memory, better each for its own.
  static constexpr bool by_warpgroup = hopper && sizeof(Stored) == 2;
  static_assert(threads == 128, "a warpgroup");
  static_assert(block_k % 64 == 0 && head_dim % 64 == 0);

  using QTile = SwizzledTile<warp_rows, head_dim>;
  using KeyTile = SwizzledTile<block_k, head_dim, Spans::by_panel>;

  __device__ static int lane() { return threadIdx.x % 32; }
  __device__ static int warp() { return threadIdx.x / 32; }
  /// Row of the warp that half `half` of this lane's accumulators belong to, and their first column in a tile of 8.
  __device__ static int row(int half) { return lane() / 4 + half * 8; }
  __device__ static int column() { return lane() % 4 * 2; }
};

template <class S>
struct Flash1Arguments {
  const typename S::T* q;
  const typename S::T* k;
  const typename S::T* v;
  typename S::O* o;
  float* l;
  float* m;
  Visibility visible;
  Count seq_q;
  Count seq_k;
  int row_blocks;  ///< of one stream
  int splits;      ///< thread blocks of one stream; each owns every splits-th row block
  int group;       ///< query heads per K/V head
  bool elides_first_read;
  float scale;
};

namespace flash1_steps {

/// The rows of O of one warp in shared memory, without padding. Chunks of 16 bytes are permuted so that the pairs of
/// columns which the lanes of an accumulator hold lie in different banks.
template <class T, int Width>
struct OTile {
  static constexpr int per_chunk = 16 / sizeof(T);
  static constexpr int chunks = Width / per_chunk;
  static constexpr int pitch = Width * sizeof(T);
  static constexpr int size = 16 * pitch;

  unsigned base;

  __device__ unsigned at(int row, int chunk) const {
    const int turn = sizeof(T) == 2 ? row % 8 : row % 4 * 2;
    return base + row * pitch + (chunk ^ turn) * 16;
  }
  __device__ unsigned element(int row, int column) const {
    return at(row, column / per_chunk) + column % per_chunk * sizeof(T);
  }
};

/// How the lanes of a warp share the chunks of its rows: eight lanes a row, of four rows at a time.
template <class T, int Width>
struct LaneChunks {
  static constexpr int per_chunk = 16 / sizeof(T);
  static constexpr int rows_at_once = 4, chunks_at_once = 8;

  __device__ static int row() { return threadIdx.x % 32 / chunks_at_once; }
  __device__ static int chunk() { return threadIdx.x % chunks_at_once; }

  /// Calls `body(address, place, valid)` for each of the lane's chunks of a tile and of row-major `rows` in memory, of
  /// which `valid_rows` exist.
  template <class Tile, class Body>
  __device__ static void for_each(const Tile& tile, T* rows, Count valid_rows, Body body) {
    const unsigned start = tile.at(row(), chunk()), lower_start = tile.at(row() + rows_at_once, chunk());
    T* own = rows + row() * Width + chunk() * per_chunk;
    const int below = static_cast<int>(valid_rows < 16 ? valid_rows : 16) - row();
#pragma unroll
    for (int down = 0; down < 16; down += rows_at_once) {
      const unsigned turned = down % 8 == 0 ? start + down * Tile::pitch : lower_start + (down - 4) * Tile::pitch;
#pragma unroll
      for (int right = 0; right < Width / per_chunk; right += chunks_at_once) {
        body(turned + right * 16, own + down * Width + right * per_chunk, down < below);
      }
    }
  }
};

/// Two neighbouring elements of shared memory as floats.
template <class T>
__device__ float2 load_floats(unsigned address) {
  float2 pair;
  if constexpr (std::is_same_v<T, float>) {
    asm volatile("ld.shared.v2.f32 {%0, %1}, [%2];" : "=f"(pair.x), "=f"(pair.y) : "r"(address) : "memory");
  } else {
    pair = unpacked<T>(load_pair(address));
  }
  return pair;
}

/// Tiles of the block, and of this warp, in shared memory.
template <class S>
struct Tiles {
  using O = OTile<typename S::O, S::head_dim>;
  /// O in 16 bits is put in order here before it is stored; in fp32 the accumulators are stored as they are.
  static constexpr int outgoing_size = sizeof(typename S::O) == 2 ? O::size : 0;
  static constexpr int warp_size = S::QTile::size + O::size + outgoing_size;
  static constexpr int size = 2 * S::KeyTile::size + S::warps * warp_size;

  unsigned base;

  __device__ typename S::KeyTile k() const { return {base}; }
  __device__ typename S::KeyTile v() const { return {base + S::KeyTile::size}; }
  __device__ typename S::QTile q() const { return {base + 2 * S::KeyTile::size + S::warp() * warp_size}; }
  __device__ O o() const { return {q().base + S::QTile::size}; }
  __device__ O outgoing() const { return {o().base + O::size}; }
};

/// One meeting of a key tile with a row block.
struct Visit {
  int key_tile;
  int row_block;
  int last;  ///< end of the row blocks that meet the key tile
};

template <class S>
using Output = Accumulator[S::o_pairs * 2];

/// l and m of this lane's two rows.
struct Statistics {
  float l[2];
  float m[2];
};

/// What a warp moves of its own 16 rows of each row block. Loads bypass the L1, which does not see what other lanes
/// stored.
template <class S, class Counters>
class WarpRows {
  using O = typename S::O;
  using OTile = typename Tiles<S>::O;

 public:
  __device__ WarpRows(const Flash1Arguments<S>& a, const Tiles<S>& tiles, Count stream, Counters& counters)
      : a_(a), tiles_(tiles), stream_(stream), counters_(counters) {}

  __device__ Count row_begin(const Visit& visit) const {
    return Count{visit.row_block} * S::block_q + S::warp() * S::warp_rows;
  }

  __device__ void start_q(const Visit& visit) {
    for_each_chunk(visit, tiles_.q(), a_.q, [this](unsigned to, const auto* from, bool valid) {
      if (valid) {
        copy_async(to, from);
        counters_.read(TensorName::Q, chunk_elements);
      } else {
        clear_chunk(to);
      }
    });
  }

  __device__ void load_q(Fragment (&q)[S::q_steps]) const {
    const unsigned lane = tiles_.q().lane_of_rows();
#pragma unroll
    for (int step = 0; step < S::q_steps; ++step) load_matrices(q[step], S::QTile::moved(lane, 0, step * 2));
  }

  /// O to shared memory; l and m to a register of the lanes, l of row i in lane i, m of row i in lane 16 + i.
  __device__ void start_state(const Visit& visit) {
    const bool fresh = a_.elides_first_read && is_first(visit);
    for_each_chunk(visit, tiles_.o(), a_.o, [this, fresh](unsigned to, const O* from, bool valid) {
      if (valid && !fresh) {
        copy_async(to, from);
        counters_.read(TensorName::O, OTile::per_chunk);
      } else {
        clear_chunk(to);
      }
    });
    const bool holds_l = S::lane() < 16;
    const Count row = row_begin(visit) + S::lane() % 16;
    statistic_ = holds_l ? 0 : -INFINITY;
    if (row < a_.seq_q && !fresh) {
      statistic_ = __ldcg((holds_l ? a_.l : a_.m) + stream_ * a_.seq_q + row);
      if (holds_l) {
        counters_.read(TensorName::l, 1);
      } else {
        counters_.read(TensorName::m, 1);
      }
    }
  }

  __device__ Statistics statistics() const {
    Statistics rows;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      rows.l[half] = __shfl_sync(~0u, statistic_, S::row(half));
      rows.m[half] = __shfl_sync(~0u, statistic_, 16 + S::row(half));
    }
    return rows;
  }

  __device__ void load_o(Output<S>& o) const {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
#pragma unroll
      for (int n = 0; n < S::o_pairs * 2; ++n) {
        const float2 pair = load_floats<O>(tiles_.o().element(S::row(half), n * 8 + S::column()));
        o[n][half * 2] = pair.x;
        o[n][half * 2 + 1] = pair.y;
      }
    }
  }

  __device__ void store(const Visit& visit, const Output<S>& o, const Statistics& rows) {
    if constexpr (sizeof(O) == 2) {
      store_through_tile(visit, o);
    } else {
      store_accumulators(visit, o);
    }
    if (S::lane() % 4 >= 2) return;
    const bool holds_l = S::lane() % 4 == 0;
    float* to = (holds_l ? a_.l : a_.m) + stream_ * a_.seq_q;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const Count row = row_begin(visit) + S::row(half);
      if (row >= a_.seq_q) continue;
      to[row] = holds_l ? rows.l[half] : rows.m[half];
      if (holds_l) {
        counters_.write(TensorName::l, 1);
      } else {
        counters_.write(TensorName::m, 1);
      }
    }
  }

 private:
  __device__ Count element(const Visit& visit, int row) const {
    return (stream_ * a_.seq_q + row_begin(visit) + row) * S::head_dim;
  }
  __device__ bool is_first(const Visit& visit) const {
    const Count begin = Count{visit.row_block} * S::block_q;
    return visited_tiles(a_.visible, begin, S::block_q, S::block_k).first == visit.key_tile;
  }

  /// For the chunks of this lane of a tile and of the warp's rows of a tensor.
  template <class T, class Tile, class Body>
  __device__ void for_each_chunk(const Visit& visit, const Tile& tile, T* tensor, Body body) const {
    LaneChunks<T, S::head_dim>::for_each(tile, tensor + element(visit, 0), a_.seq_q - row_begin(visit), body);
  }

  __device__ void store_accumulators(const Visit& visit, const Output<S>& o) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      if (row_begin(visit) + S::row(half) >= a_.seq_q) continue;
      O* to = a_.o + element(visit, S::row(half)) + S::column();
#pragma unroll
      for (int n = 0; n < S::o_pairs * 2; ++n) {
        write_floats(to + n * 8, o[n][half * 2], o[n][half * 2 + 1]);
        counters_.write(TensorName::O, 2);
      }
    }
  }

  __device__ void store_through_tile(const Visit& visit, const Output<S>& o) {
    const OTile tile = tiles_.outgoing();
#pragma unroll
    for (int half = 0; half < 2; ++half) {
#pragma unroll
      for (int n = 0; n < S::o_pairs * 2; ++n) {
        const unsigned pair = packed<O>(o[n][half * 2], o[n][half * 2 + 1]);
        store_pair(tile.element(S::row(half), n * 8 + S::column()), pair);
      }
    }
    __syncwarp();
    for_each_chunk(visit, tile, a_.o, [this](unsigned from, O* to, bool valid) {
      if (valid) {
        write_chunk(to, load_chunk(from));
        counters_.write(TensorName::O, OTile::per_chunk);
      }
    });
  }

  const Flash1Arguments<S>& a_;
  const Tiles<S>& tiles_;
  Count stream_;
  Counters& counters_;
  float statistic_ = 0;
};

}  // namespace flash1_steps

}  // namespace tilemeter::kernels
