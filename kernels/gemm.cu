#include "kernels/gemm.hpp"

#include <algorithm>
#include <tuple>

#include "kernels/dispatch.hpp"
#include "kernels/operands.hpp"
#include "kernels/present.hpp"
#include "kernels/recording.hpp"
#include "kernels/tensor_map.hpp"
#include "kernels/wgmma.cuh"

namespace tilemeter::kernels {
namespace {

/// Sizes of a thread block: a producer warpgroup, of which one thread issues the loads, and a consumer warpgroup for
/// every 64 rows of C. The `Cluster` blocks of a cluster compute tiles of C one below the other; each loads its share
/// of their common tile of B for all of them.
template <class ElementType, int BlockM, int BlockN, int BlockK, int Stages, int Cluster>
struct Shape {
  using Element = ElementType;
  static constexpr int block_m = BlockM, block_n = BlockN, block_k = BlockK, stages = Stages, cluster = Cluster;
  static constexpr int panel = GemmLayout::panel, panel_bytes = GemmLayout::panel_bytes;
  static constexpr int panels = block_n / panel;
  static constexpr int consumers = GemmLayout::consumers(block_m);
  static constexpr int threads = GemmLayout::threads(block_m);
  static constexpr int a_bytes = block_m * block_k * sizeof(Element);
  static constexpr int stage_bytes = GemmLayout::stage(block_m, block_n, block_k);
  static constexpr int shared_bytes = GemmLayout::shared(block_m, block_n, block_k, stages);
  static_assert(sizeof(Element) == GemmLayout::element && block_k * sizeof(Element) == swizzle_row);
  static_assert(consumers * 64 == block_m && panels * panel == block_n && panels % cluster == 0);
};

struct Arguments {
  CUtensorMap a;
  CUtensorMap b;
  CUtensorMap c;
  int m;
  int n;
  int k;
  int row_groups;  ///< rows of tiles of C, by the cluster
  int col_tiles;
  int tiles;  ///< of all problems of the batch, by the cluster
};

/// Where a tile of C begins.
struct Tile {
  int problem;
  int row;
  int col;
};

/// The tiles of a cluster: every so many, in an order in which the clusters at work at a time share few rows of A and
/// columns of B, so that they find them in L2: bands of rows of tiles, in which columns follow one another.
template <class S>
struct Schedule {
  const Arguments& a;

  __device__ int first() const { return static_cast<int>(blockIdx.x) / S::cluster; }
  __device__ int step() const { return static_cast<int>(gridDim.x) / S::cluster; }
  __device__ Tile tile(int index) const {
    constexpr int band_height = 16 / S::cluster;
    const int per_problem = a.row_groups * a.col_tiles;
    const int in_problem = index % per_problem;
    const int band_begin = in_problem / (band_height * a.col_tiles) * band_height;
    const int height = min(band_height, a.row_groups - band_begin);
    const int in_band = in_problem - band_begin * a.col_tiles;
    const int group = band_begin + in_band % height;
    return {.problem = index / per_problem,
            .row = (group * S::cluster + block_of_cluster()) * S::block_m,
            .col = in_band / height * S::block_n};
  }
};

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
  /// Ends a phase when all consumers that read what this block loads have read the stage.
  __device__ Barrier empty(int stage) const { return {full(stage).address + 8}; }
};

template <class S>
__device__ void init_barriers(const SharedMemory<S>& shared) {
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < S::stages; ++stage) {
      shared.full(stage).init(1);
      shared.empty(stage).init(S::consumers * S::cluster);
    }
    fence_barrier_init();
  }
  cluster_barrier();
}

template <class S, class Counters>
__device__ void load_a(const Arguments& a, const SharedMemory<S>& shared, const Tile& tile, int depth, int stage,
                       Counters& counters) {
  load_box(shared.a(stage), a.a, {depth, tile.row, tile.problem}, shared.full(stage));
  counters.read(TensorName::A, min(S::block_m, a.m - tile.row) * min(S::block_k, a.k - depth));
}

/// This block's panels, to all blocks of the cluster. Counts what this block receives.
template <class S, class Counters>
__device__ void load_b(const Arguments& a, const SharedMemory<S>& shared, const Tile& tile, int depth, int stage,
                       Counters& counters) {
  constexpr int own = S::panels / S::cluster;
  const int first = own * block_of_cluster();
#pragma unroll
  for (int panel = first; panel < first + own; ++panel) {
    const std::uint32_t to = shared.b(stage) + panel * S::panel_bytes;
    const Coordinates at = {tile.col + panel * S::panel, depth, tile.problem};
    if constexpr (S::cluster == 1) {
      load_box(to, a.b, at, shared.full(stage));
    } else {
      load_box_to((1 << S::cluster) - 1, to, a.b, at, shared.full(stage));
    }
  }
  counters.read(TensorName::B, min(S::block_k, a.k - depth) * min(S::block_n, a.n - tile.col));
}

/// Keeps the stages full, tile after tile. One thread.
template <class S, class Counters>
__device__ void produce(const Arguments& a, const SharedMemory<S>& shared, Counters& counters) {
  const Schedule<S> schedule{a};
  RingPosition<S::stages> ring;
  prefetch(a.a);
  prefetch(a.b);
  prefetch(a.c);
  for (int index = schedule.first(); index < a.tiles; index += schedule.step()) {
    const Tile tile = schedule.tile(index);
    for (int depth = 0; depth < a.k; depth += S::block_k) {
      shared.empty(ring.stage).wait(ring.parity ^ 1, "gemm: an empty stage");
      shared.full(ring.stage).arrive_expecting(S::stage_bytes);
      load_a(a, shared, tile, depth, ring.stage, counters);
      load_b(a, shared, tile, depth, ring.stage, counters);
      counters.tile();
      ring.advance();
    }
  }
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

/// Tells the producers of the cluster that this consumer has read a stage.
template <class S>
__device__ void release(const SharedMemory<S>& shared, int stage) {
  const int thread = threadIdx.x % warpgroup_size;
  if (thread % warp_size != 0 || thread / warp_size >= S::cluster) return;
  if constexpr (S::cluster == 1) {
    shared.empty(stage).arrive();
  } else {
    shared.empty(stage).arrive_at(thread / warp_size);
  }
}

/// c = A B of a tile. A stage is given back while the next is multiplied.
template <class S>
__device__ void multiply(Accumulators<S>& c, const Arguments& a, const SharedMemory<S>& shared, int consumer,
                         RingPosition<S::stages>& ring) {
  int last = 0;
  for (int depth = 0; depth < a.k; depth += S::block_k) {
    shared.full(ring.stage).wait(ring.parity, "gemm: a full stage");
    accumulate<S>(c, shared, consumer, ring.stage, depth == 0);
    wait_products<1>(c);
    if (depth > 0) release(shared, last);
    last = ring.stage;
    ring.advance();
  }
  wait_products<0>(c);
  release(shared, last);
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
  const Schedule<S> schedule{a};
  RingPosition<S::stages> ring;
  for (int index = schedule.first(); index < a.tiles; index += schedule.step()) {
    Accumulators<S> c;
    multiply<S>(c, a, shared, consumer, ring);
    store<S>(c, a, shared, schedule.tile(index), consumer, counters);
  }
  wait_stores();
}

/// Each cluster computes tiles of C until none is left.
template <class S, class Counters>
__global__ void __launch_bounds__(S::threads, 1)
    gemm(const __grid_constant__ Arguments a, typename Counters::Records records) {
  if constexpr (hopper) {
    extern __shared__ unsigned char memory[];
    const SharedMemory<S> shared(memory);
    Counters counters;
    init_barriers(shared);
    const int warpgroup = __shfl_sync(~0u, threadIdx.x / warpgroup_size, 0);
    if (warpgroup == 0) {
      shrink_registers<40>();
      if (threadIdx.x == 0) produce(a, shared, counters);
      __syncwarp();
      cluster_barrier();  // no block leaves while others signal its barriers
      counters.flush(records);
    } else {
      grow_registers<232>();
      consume(a, shared, warpgroup - 1, counters);
      cluster_barrier();
      counters.flush(records);
    }
  }
}

/// A row-major matrix (rows x cols) a problem, copied in boxes of box_rows x 64.
CUtensorMap matrix_map(const Tensors& tensors, TensorName name, const Case& point, Count rows, Count cols,
                       int box_rows) {
  const BoxDimension dimensions[] = {{.size = cols, .stride = 1, .box = 64},
                                     {.size = rows, .stride = cols, .box = box_rows},
                                     {.size = point.problem.batch, .stride = rows * cols, .box = 1}};
  return tensor_map(point.problem.dtype, tensors[name], dimensions);
}

template <class S>
Arguments arguments(const Tensors& tensors, const Case& point) {
  const auto& [m, n, k] = std::tie(point.shapes.m, point.shapes.n, point.shapes.k);
  const Count row_groups = ceil_div(m, S::block_m) / S::cluster, col_tiles = ceil_div(n, S::block_n);
  return {.a = matrix_map(tensors, TensorName::A, point, m, k, S::block_m),
          .b = matrix_map(tensors, TensorName::B, point, k, n, S::block_k),
          .c = matrix_map(tensors, TensorName::C, point, m, n, 64),
          .m = static_cast<int>(m),
          .n = static_cast<int>(n),
          .k = static_cast<int>(k),
          .row_groups = static_cast<int>(row_groups),
          .col_tiles = static_cast<int>(col_tiles),
          .tiles = static_cast<int>(row_groups * col_tiles * point.problem.batch)};
}

int multiprocessors() {
  int device = 0, count = 0;
  TILEMETER_CHECK(cudaGetDevice(&device));
  TILEMETER_CHECK(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
  return count;
}

/// One block an SM, or fewer when there are fewer tiles.
template <class S, class Recorder>
void run_shape(const Tensors& tensors, const Case& point, Stream stream, Recorder& recorder) {
  const Arguments a = arguments<S>(tensors, point);
  const int blocks = std::min(a.tiles, multiprocessors() / S::cluster) * S::cluster;
  constexpr auto kernel = gemm<S, typename Recorder::Counters>;
  TILEMETER_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, S::shared_bytes));
  cudaLaunchAttribute cluster{.id = cudaLaunchAttributeClusterDimension, .val = {.clusterDim = {S::cluster, 1, 1}}};
  cudaLaunchConfig_t config{.gridDim = static_cast<unsigned>(blocks),
                            .blockDim = S::threads,
                            .dynamicSmemBytes = S::shared_bytes,
                            .stream = stream,
                            .attrs = &cluster,
                            .numAttrs = 1};
  TILEMETER_CHECK(cudaLaunchKernelEx(&config, kernel, a, recorder.records(blocks)));
}

/// Pairs of blocks share B where rows of tiles come in pairs and the tile is the large one.
template <class Element, class Recorder>
void run_tiling(const Tensors& tensors, const Case& point, Stream stream, Recorder& recorder) {
  with_tiling<gemm_tilings>(point, [&](auto index) {
    constexpr KernelTiling t = gemm_tilings[index];
    const bool pairs = ceil_div(point.shapes.m, t.block_m) % 2 == 0;
    if constexpr (t.block_n == 256) {
      if (pairs) {
        return run_shape<Shape<Element, t.block_m, t.block_n, t.block_k, t.stages, 2>>(tensors, point, stream,
                                                                                       recorder);
      }
    }
    run_shape<Shape<Element, t.block_m, t.block_n, t.block_k, t.stages, 1>>(tensors, point, stream, recorder);
  });
}

template <class Recorder>
void run(const Tensors& tensors, const Case& point, Stream stream, Recorder& recorder) {
  require_runnable(kernel_named("gemm"), tensors, point);
  require_hopper("gemm");
  if (point.problem.dtype == DType::bf16) {
    run_tiling<__nv_bfloat16>(tensors, point, stream, recorder);
  } else {
    run_tiling<__half>(tensors, point, stream, recorder);
  }
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
