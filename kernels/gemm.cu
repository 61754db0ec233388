#include "kernels/gemm.hpp"

#include <algorithm>
#include <tuple>

#include "kernels/dispatch.hpp"
#include "kernels/element_type.cuh"
#include "kernels/operands.hpp"
#include "kernels/present.hpp"
#include "kernels/recording.hpp"
#include "kernels/tensor_map.hpp"
#include "kernels/wgmma.cuh"

namespace tilemeter::kernels {
namespace {

/// Sizes of a thread block: a producer warpgroup, of which one thread issues the loads, and a consumer warpgroup for
/// every 64 rows of C.
template <class ElementType, int BlockM, int BlockN, int BlockK, int Stages>
struct Shape {
  using Element = ElementType;
  static constexpr int block_m = BlockM, block_n = BlockN, block_k = BlockK, stages = Stages;
  static constexpr int panel = GemmLayout::panel, panel_bytes = GemmLayout::panel_bytes;
  static constexpr int panels = block_n / panel;
  static constexpr int consumers = GemmLayout::consumers(block_m);
  static constexpr int threads = GemmLayout::threads(block_m);
  static constexpr int a_bytes = block_m * block_k * sizeof(Element);
  static constexpr int stage_bytes = GemmLayout::stage(block_m, block_n, block_k);
  static constexpr int shared_bytes = GemmLayout::shared(block_m, block_n, block_k, stages);
  static_assert(sizeof(Element) == GemmLayout::element && block_k * sizeof(Element) == swizzle_row);
  static_assert(consumers * 64 == block_m && panels * panel == block_n);
  static_assert(a_bytes + panels * panel_bytes == stage_bytes);
};

struct Arguments {
  CUtensorMap a;
  CUtensorMap b;
  CUtensorMap c;
  int m;
  int n;
  int k;
  unsigned row_tiles;  ///< of C
  unsigned col_tiles;
  unsigned tiles;  ///< of all problems of the batch
};

/// Where a tile of C begins.
struct Tile {
  int problem;
  int row;
  int col;
};

/// Tile number `index`. Blocks at work at a time have neighbouring numbers; so that they share few rows of A and
/// columns of B and find them in L2, the tiles are numbered by bands of rows of tiles, column after column in each.
template <class S>
__device__ Tile tile_at(const Arguments& a, unsigned index) {
  constexpr unsigned band_height = 16;
  const unsigned per_problem = a.row_tiles * a.col_tiles;
  const unsigned in_problem = index % per_problem;
  const unsigned band_begin = in_problem / (band_height * a.col_tiles) * band_height;
  const unsigned height = min(band_height, a.row_tiles - band_begin);
  const unsigned in_band = in_problem - band_begin * a.col_tiles;
  return {.problem = static_cast<int>(index / per_problem),
          .row = static_cast<int>(band_begin + in_band % height) * S::block_m,
          .col = static_cast<int>(in_band / height) * S::block_n};
}

/// Calls `body(tile)` for the tiles of this block: one of every gridDim.x.
template <class S, class Body>
__device__ void for_each_tile(const Arguments& a, Body body) {
  for (unsigned index = blockIdx.x; index < a.tiles; index += gridDim.x) body(tile_at<S>(a, index));
}

/// Shared memory: stages of an A and a B tile, panels of C, and a pair of barriers a stage.
template <class S>
struct SharedMemory {
  std::uint32_t base;

  __device__ explicit SharedMemory(const void* memory)
      : base((shared_address(memory) + swizzle_atom - 1) / swizzle_atom * swizzle_atom) {}
  __device__ std::uint32_t a(int stage) const { return base + stage * S::stage_bytes; }
  __device__ std::uint32_t b(int stage) const { return a(stage) + S::a_bytes; }
  __device__ std::uint32_t c(int consumer, int buffer) const {
    return a(S::stages) + (consumer * GemmLayout::store_panels + buffer) * S::panel_bytes;
  }
  /// Ends a phase when the stage has been loaded.
  __device__ Barrier full(int stage) const { return {c(S::consumers, 0) + stage * 16}; }
  /// Ends a phase when all consumers have read the stage.
  __device__ Barrier empty(int stage) const { return {full(stage).address + 8}; }
};

template <class S, class Counters>
__device__ void load_a(const Arguments& a, const SharedMemory<S>& shared, const Tile& tile, int depth, int stage,
                       Counters& counters) {
  load_box(shared.a(stage), a.a, {depth, tile.row, tile.problem}, shared.full(stage));
  counters.read(TensorName::A, min(S::block_m, a.m - tile.row) * min(S::block_k, a.k - depth));
}

template <class S, class Counters>
__device__ void load_b(const Arguments& a, const SharedMemory<S>& shared, const Tile& tile, int depth, int stage,
                       Counters& counters) {
#pragma unroll
  for (int panel = 0; panel < S::panels; ++panel) {
    load_box(shared.b(stage) + panel * S::panel_bytes, a.b, {tile.col + panel * S::panel, depth, tile.problem},
             shared.full(stage));
  }
  counters.read(TensorName::B, min(S::block_k, a.k - depth) * min(S::block_n, a.n - tile.col));
}

/// Keeps the stages full, tile after tile. One thread.
template <class S, class Counters>
__device__ void produce(const Arguments& a, const SharedMemory<S>& shared, Counters& counters) {
  RingPosition<S::stages> ring;
  prefetch(a.a);
  prefetch(a.b);
  prefetch(a.c);
  for_each_tile<S>(a, [&](const Tile& tile) {
    for (int depth = 0; depth < a.k; depth += S::block_k) {
      shared.empty(ring.stage).wait(ring.parity ^ 1, "gemm: an empty stage");
      shared.full(ring.stage).arrive_expecting(S::stage_bytes);
      load_a(a, shared, tile, depth, ring.stage, counters);
      load_b(a, shared, tile, depth, ring.stage, counters);
      counters.tile();
      ring.advance();
    }
  });
}

/// A thread's part of 64 rows of a tile of C, as wgmma leaves it.
template <class S>
using Accumulators = float[S::block_n / 2];

/// c += a b, or c = a b for the first stage.
template <class S>
__device__ void accumulate(Accumulators<S>& c, const SharedMemory<S>& shared, int consumer, int stage, bool first) {
  const Descriptor a = k_major(shared.a(stage) + consumer * 64 * swizzle_row);
  const Descriptor b = mn_major(shared.b(stage), S::panel_bytes);
  fence_accumulators(c);
#pragma unroll
  for (int k = 0; k < S::block_k; k += 16) {
    multiply_add<typename S::Element, S::block_n, Major::k, Major::mn>(c, from_k<Major::k>(a, k),
                                                                       from_k<Major::mn>(b, k), !first || k > 0);
  }
  commit_products();
}

/// c = A B of a tile. The tensor cores stay busy with the other consumer's products while one waits for its own.
template <class S>
__device__ void multiply(Accumulators<S>& c, const Arguments& a, const SharedMemory<S>& shared, int consumer,
                         RingPosition<S::stages>& ring) {
  for (int depth = 0; depth < a.k; depth += S::block_k) {
    shared.full(ring.stage).wait(ring.parity, "gemm: a full stage");
    accumulate<S>(c, shared, consumer, ring.stage, depth == 0);
    wait_products<0>(c);
    if (threadIdx.x % warpgroup_size == 0) shared.empty(ring.stage).arrive();
    ring.advance();
  }
}

/// Rounds and stores a tile's 64 rows of this consumer by panels, of which two may be on their way at a time.
template <class S, class Counters>
__device__ void store(const Accumulators<S>& c, const Arguments& a, const SharedMemory<S>& shared, const Tile& tile,
                      int consumer, Counters& counters) {
  const bool storing = threadIdx.x % warpgroup_size == 0;
  const int row = tile.row + 64 * consumer;
#pragma unroll
  for (int panel = 0; panel < S::panels; ++panel) {
    const std::uint32_t buffer = shared.c(consumer, panel % GemmLayout::store_panels);
    const int col = tile.col + panel * S::panel;
    if (storing) wait_stores_read<GemmLayout::store_panels - 1>();
    named_barrier(1 + consumer, warpgroup_size);
    store_panel<typename S::Element>(buffer, c, panel * S::panel / 2);
    fence_async_proxy();
    named_barrier(1 + consumer, warpgroup_size);
    if (!storing) continue;
    store_box(a.c, {col, row, tile.problem}, buffer);
    commit_stores();
    counters.write(TensorName::C, max(0, min(64, a.m - row)) * max(0, min(S::panel, a.n - col)));
  }
}

/// Computes 64 rows of every tile of the block. One warpgroup.
template <class S, class Counters>
__device__ void consume(const Arguments& a, const SharedMemory<S>& shared, int consumer, Counters& counters) {
  RingPosition<S::stages> ring;
  for_each_tile<S>(a, [&](const Tile& tile) {
    Accumulators<S> c;
    multiply<S>(c, a, shared, consumer, ring);
    store<S>(c, a, shared, tile, consumer, counters);
  });
  wait_stores();
}

/// A grid of at most a block an SM computes all tiles of C.
template <class S, class Counters>
__global__ void __launch_bounds__(S::threads, 1)
    gemm(const __grid_constant__ Arguments a, typename Counters::Records records) {
  if constexpr (hopper) {
    extern __shared__ unsigned char memory[];
    const SharedMemory<S> shared(memory);
    Counters counters;
    init_stages<S::stages, S::consumers>(shared);
    const int warpgroup = __shfl_sync(~0u, threadIdx.x / warpgroup_size, 0);
    if (warpgroup == 0) {
      shrink_registers<40>();
      if (threadIdx.x == 0) produce(a, shared, counters);
    } else {
      grow_registers<232>();
      consume(a, shared, warpgroup - 1, counters);
    }
    counters.flush(records);
  }
}

template <class S>
Arguments arguments(const Tensors& tensors, const Case& point) {
  const auto& [m, n, k] = std::tie(point.shapes.m, point.shapes.n, point.shapes.k);
  const Count row_tiles = ceil_div(m, S::block_m), col_tiles = ceil_div(n, S::block_n);
  const auto map = [&](TensorName name, Count rows, Count cols, int box_rows) {
    return matrix_map(point.problem.dtype, tensors[name], point.problem.batch, rows, cols, box_rows);
  };
  return {.a = map(TensorName::A, m, k, S::block_m),
          .b = map(TensorName::B, k, n, S::block_k),
          .c = map(TensorName::C, m, n, 64),
          .m = static_cast<int>(m),
          .n = static_cast<int>(n),
          .k = static_cast<int>(k),
          .row_tiles = static_cast<unsigned>(row_tiles),
          .col_tiles = static_cast<unsigned>(col_tiles),
          .tiles = static_cast<unsigned>(row_tiles * col_tiles * point.problem.batch)};
}

template <class Element, class Recorder>
void run_type(const Tensors& tensors, const Case& point, Stream stream, Recorder& recorder) {
  with_tiling<gemm_tilings>(point, [&](auto index) {
    constexpr KernelTiling t = gemm_tilings[index];
    using S = Shape<Element, t.block_m, t.block_n, t.block_k, t.stages>;
    const Arguments a = arguments<S>(tensors, point);
    const unsigned blocks = std::min(a.tiles, static_cast<unsigned>(multiprocessors()));
    constexpr auto kernel = gemm<S, typename Recorder::Counters>;
    TILEMETER_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, S::shared_bytes));
    kernel<<<blocks, S::threads, S::shared_bytes, stream>>>(a, recorder.records(blocks));
    TILEMETER_CHECK(cudaGetLastError());
  });
}

template <class Recorder>
void run(const Tensors& tensors, const Case& point, Stream stream, Recorder& recorder) {
  require_runnable(kernel_named("gemm"), tensors, point);
  require_hopper("gemm");
  with_half_type(point.problem.dtype,
                 [&]<class Element>(ElementType<Element>) { run_type<Element>(tensors, point, stream, recorder); });
}

}  // namespace

void launch_gemm(const Tensors& tensors, const Case& point, Stream stream) {
  NoRecording recording;
  run(tensors, point, stream, recording);
}

Work count_gemm(const Tensors& tensors, const Case& point, Stream stream) {
  Recording recording;
  run(tensors, point, stream, recording);
  return recording.total(gemm_operands(point), stream);
}

}  // namespace tilemeter::kernels
