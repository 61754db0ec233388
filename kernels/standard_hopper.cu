#include "kernels/standard_hopper.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/dispatch.hpp"
#include "kernels/element_type.cuh"
#include "kernels/operands.hpp"
#include "kernels/present.hpp"
#include "kernels/recording.hpp"
#include "kernels/standard_softmax.hpp"
#include "kernels/tensor_map.hpp"
#include "kernels/wgmma.cuh"

namespace tilemeter::kernels {
namespace {

using Layout = StandardHopperLayout;

/// A product C = factor A B of every stream: S = scale Q K^T with the rows of K as B's columns (Major::k), O = P V with
/// the rows of V as B's (Major::mn). A thread block has a producer warpgroup, of which one thread issues the loads, and
/// a consumer warpgroup for every 64 rows of C. The sums go through the ring 64 terms at a time.
template <class ElementType, int Rows, int Columns, Major MajorOfB>
struct Product {
  using Element = ElementType;
  static constexpr int rows = Rows, columns = Columns, terms = 64;
  static constexpr Major b_major = MajorOfB;
  static constexpr bool of_scores = b_major == Major::k;
  static constexpr TensorName a = of_scores ? TensorName::Q : TensorName::P;
  static constexpr TensorName b = of_scores ? TensorName::K : TensorName::V;
  static constexpr TensorName c = of_scores ? TensorName::S : TensorName::O;
  static constexpr int panels = columns / 64;
  static constexpr int consumers = Layout::consumers(rows), threads = Layout::threads(rows);
  static constexpr int a_bytes = rows * Layout::row, stage_bytes = Layout::stage(rows, columns);
  static constexpr int stages = Layout::stages(rows, columns), shared_bytes = Layout::shared(rows, columns);
  /// Registers of a thread that issues loads, and of one that multiplies: together those of the launch.
  static constexpr int producer_registers = 40;
  static constexpr int consumer_registers = consumers == 2 ? 232 : 104;
  static_assert(rows % 64 == 0 && columns % 64 == 0 && stages >= 2);
};

struct Arguments {
  CUtensorMap a;
  CUtensorMap b;
  CUtensorMap c;
  int rows;     ///< of C, in one stream
  int columns;  ///< ...
  int terms;    ///< of its sums
  int group;    ///< streams that share a B
  int row_tiles;
  int column_tiles;
  int tiles;  ///< of all streams
  int step;   ///< terms that one tile of the algorithm takes
  float factor;
};

/// Where a tile of C begins.
struct Tile {
  int stream;
  int row;
  int column;
};

/// The tiles of a block: every so many; columns follow one another, then rows, then streams.
template <class P>
struct Schedule {
  const Arguments& a;

  __device__ static int first() { return static_cast<int>(blockIdx.x); }
  __device__ static int step() { return static_cast<int>(gridDim.x); }
  __device__ Tile tile(int index) const {
    const int row_tile = index / a.column_tiles;
    return {.stream = row_tile / a.row_tiles,
            .row = row_tile % a.row_tiles * P::rows,
            .column = index % a.column_tiles * P::columns};
  }
};

/// Shared memory: stages of an A and a B tile, panels of C, and a pair of barriers a stage.
template <class P>
struct SharedMemory {
  std::uint32_t base;

  __device__ explicit SharedMemory(const void* memory)
      : base((shared_address(memory) + swizzle_atom - 1) / swizzle_atom * swizzle_atom) {}
  __device__ std::uint32_t a(int stage) const { return base + stage * P::stage_bytes; }
  __device__ std::uint32_t b(int stage) const { return a(stage) + P::a_bytes; }
  __device__ std::uint32_t c(int consumer, int buffer) const {
    return a(P::stages) + (consumer * Layout::store_panels + buffer) * Layout::panel;
  }
  /// Ends a phase when the stage has been loaded.
  __device__ Barrier full(int stage) const { return {c(P::consumers, 0) + stage * 16}; }
  /// Ends a phase when all consumers have read the stage.
  __device__ Barrier empty(int stage) const { return {full(stage).address + 8}; }
};

template <class P, class Counters>
__device__ void load_a(const Arguments& a, const SharedMemory<P>& shared, const Tile& tile, int term, int stage,
                       Counters& counters) {
  load_box(shared.a(stage), a.a, {term, tile.row, tile.stream}, shared.full(stage));
  counters.read(P::a, min(P::rows, a.rows - tile.row) * min(P::terms, a.terms - term));
}

template <class P, class Counters>
__device__ void load_b(const Arguments& a, const SharedMemory<P>& shared, const Tile& tile, int term, int stage,
                       Counters& counters) {
  const int kv_stream = tile.stream / a.group;
  if constexpr (P::b_major == Major::k) {
    load_box(shared.b(stage), a.b, {term, tile.column, kv_stream}, shared.full(stage));
  } else {
#pragma unroll
    for (int panel = 0; panel < P::panels; ++panel) {
      load_box(shared.b(stage) + panel * Layout::panel, a.b, {tile.column + panel * 64, term, kv_stream},
               shared.full(stage));
    }
  }
  counters.read(P::b, min(P::columns, a.columns - tile.column) * min(P::terms, a.terms - term));
}

/// Keeps the stages full, tile after tile. One thread.
template <class P, class Counters>
__device__ void produce(const Arguments& a, const SharedMemory<P>& shared, Counters& counters) {
  const Schedule<P> schedule{a};
  RingPosition<P::stages> ring;
  prefetch(a.a);
  prefetch(a.b);
  prefetch(a.c);
  for (int index = schedule.first(); index < a.tiles; index += schedule.step()) {
    const Tile tile = schedule.tile(index);
    counters.tiles((a.terms + a.step - 1) / a.step);
    for (int term = 0; term < a.terms; term += P::terms) {
      shared.empty(ring.stage).wait(ring.parity ^ 1, "standard_hopper: an empty stage");
      shared.full(ring.stage).arrive_expecting(P::stage_bytes);
      load_a(a, shared, tile, term, ring.stage, counters);
      load_b(a, shared, tile, term, ring.stage, counters);
      ring.advance();
    }
  }
}

/// A thread's part of 64 rows of a tile of C, as wgmma leaves it.
template <class P>
using Accumulators = float[P::columns / 2];

/// c += a b, or c = a b for the first stage.
template <class P>
__device__ void accumulate(Accumulators<P>& c, const SharedMemory<P>& shared, int consumer, int stage, bool first) {
  const Descriptor a = k_major(shared.a(stage) + consumer * Layout::panel);
  const Descriptor b = P::b_major == Major::k ? k_major(shared.b(stage)) : mn_major(shared.b(stage), Layout::panel);
  fence_accumulators(c);
#pragma unroll
  for (int k = 0; k < P::terms; k += 16) {
    multiply_add<typename P::Element, P::columns, Major::k, P::b_major>(c, from_k<Major::k>(a, k),
                                                                        from_k<P::b_major>(b, k), !first || k > 0);
  }
  commit_products();
}

/// Tells the producer that this consumer has read a stage.
template <class P>
__device__ void release(const SharedMemory<P>& shared, int stage) {
  if (threadIdx.x % warpgroup_size == 0) shared.empty(stage).arrive();
}

/// c = A B of a tile. A stage is given back while the next is multiplied.
template <class P>
__device__ void multiply(Accumulators<P>& c, const Arguments& a, const SharedMemory<P>& shared, int consumer,
                         RingPosition<P::stages>& ring) {
  int last = 0;
  for (int term = 0; term < a.terms; term += P::terms) {
    shared.full(ring.stage).wait(ring.parity, "standard_hopper: a full stage");
    accumulate<P>(c, shared, consumer, ring.stage, term == 0);
    wait_products<1>(c);
    if (term > 0) release(shared, last);
    last = ring.stage;
    ring.advance();
  }
  wait_products<0>(c);
  release(shared, last);
}

/// Rounds and stores a tile's 64 rows of this consumer by panels, of which two may be on their way at a time.
template <class P, class Counters>
__device__ void store(Accumulators<P>& c, const Arguments& a, const SharedMemory<P>& shared, const Tile& tile,
                      int consumer, Counters& counters) {
  const bool storing = threadIdx.x % warpgroup_size == 0;
  const int row = tile.row + 64 * consumer;
  if constexpr (P::of_scores) {
#pragma unroll
    for (float& sum : c) sum *= a.factor;
  }
#pragma unroll
  for (int panel = 0; panel < P::panels; ++panel) {
    const std::uint32_t buffer = shared.c(consumer, panel % Layout::store_panels);
    const int column = tile.column + panel * 64;
    if (storing) wait_stores_read<Layout::store_panels - 1>();
    named_barrier(1 + consumer, warpgroup_size);
    store_panel<typename P::Element>(buffer, c, panel * 32);
    fence_async_proxy();
    named_barrier(1 + consumer, warpgroup_size);
    if (!storing) continue;
    store_box(a.c, {column, row, tile.stream}, buffer);
    commit_stores();
    counters.write(P::c, max(0, min(64, a.rows - row)) * max(0, min(64, a.columns - column)));
  }
}

/// Computes 64 rows of every tile of the block. One warpgroup.
template <class P, class Counters>
__device__ void consume(const Arguments& a, const SharedMemory<P>& shared, int consumer, Counters& counters) {
  const Schedule<P> schedule{a};
  RingPosition<P::stages> ring;
  for (int index = schedule.first(); index < a.tiles; index += schedule.step()) {
    Accumulators<P> c;
    multiply<P>(c, a, shared, consumer, ring);
    store<P>(c, a, shared, schedule.tile(index), consumer, counters);
  }
  wait_stores();
}

/// Each block computes tiles of C until none is left.
template <class P, class Counters>
__global__ void __launch_bounds__(P::threads, 1)
    standard_hopper_product(const __grid_constant__ Arguments a, typename Counters::Records records) {
  if constexpr (hopper) {
    extern __shared__ unsigned char memory[];
    const SharedMemory<P> shared(memory);
    Counters counters;
    init_stages<P::stages, P::consumers>(shared);
    const int warpgroup = __shfl_sync(~0u, threadIdx.x / warpgroup_size, 0);
    if (warpgroup == 0) {
      shrink_registers<P::producer_registers>();
      if (threadIdx.x == 0) produce(a, shared, counters);
      __syncwarp();
    } else {
      grow_registers<P::consumer_registers>();
      consume(a, shared, warpgroup - 1, counters);
    }
    counters.flush(records);
  }
}

template <class P>
Arguments arguments(const Tensors& tensors, const Case& point, int step) {
  const Problem& problem = point.problem;
  const Count streams = problem.streams(), kv_streams = problem.batch * problem.kv_heads;
  const Count columns = P::of_scores ? problem.seq_k : problem.head_dim_v;
  const Count terms = P::of_scores ? problem.head_dim : problem.seq_k;
  const Count row_tiles = ceil_div(problem.seq_q, P::rows), column_tiles = ceil_div(columns, P::columns);
  const auto map = [&](TensorName name, Count matrices, Count rows, Count cols, int box_rows) {
    return matrix_map(problem.dtype, tensors[name], matrices, rows, cols, box_rows);
  };
  return {.a = map(P::a, streams, problem.seq_q, terms, P::rows),
          .b = P::of_scores ? map(P::b, kv_streams, columns, terms, P::columns)
                            : map(P::b, kv_streams, terms, columns, P::terms),
          .c = map(P::c, streams, problem.seq_q, columns, 64),
          .rows = static_cast<int>(problem.seq_q),
          .columns = static_cast<int>(columns),
          .terms = static_cast<int>(terms),
          .group = static_cast<int>(problem.group()),
          .row_tiles = static_cast<int>(row_tiles),
          .column_tiles = static_cast<int>(column_tiles),
          .tiles = static_cast<int>(streams * row_tiles * column_tiles),
          .step = step,
          .factor = static_cast<float>(1 / std::sqrt(static_cast<double>(problem.head_dim)))};
}

/// One block an SM, or fewer when there are fewer tiles.
template <class P, class Recorder>
void launch_product(const Tensors& tensors, const Case& point, int step, Stream stream, Recorder& recorder) {
  const Arguments a = arguments<P>(tensors, point, step);
  const int blocks = std::min(a.tiles, multiprocessors());
  constexpr auto kernel = standard_hopper_product<P, typename Recorder::Counters>;
  TILEMETER_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, P::shared_bytes));
  kernel<<<blocks, P::threads, P::shared_bytes, stream>>>(a, recorder.records(blocks));
  TILEMETER_CHECK(cudaGetLastError());
}

template <class Recorder>
void run(const Tensors& tensors, const Case& point, Stream stream, Recorder& recorder) {
  require_runnable(kernel_named("standard_hopper"), tensors, point);
  require_hopper("standard_hopper");
  with_tiling<standard_hopper_tilings>(point, [&](auto index) {
    constexpr KernelTiling tiling = standard_hopper_tilings[index];
    constexpr int rows = static_cast<int>(tiling.block_q), keys = static_cast<int>(tiling.block_k),
                  columns = static_cast<int>(tiling.block_d);
    with_half_type(point.problem.dtype, [&]<class T>(ElementType<T>) {
      launch_product<Product<T, rows, keys, Major::k>>(tensors, point, columns, stream, recorder);
      launch_standard_softmax(tensors, point, stream, recorder);
      launch_product<Product<T, rows, columns, Major::mn>>(tensors, point, keys, stream, recorder);
    });
  });
}

}  // namespace

void launch_standard_hopper(const Tensors& tensors, const Case& point, Stream stream) {
  NoRecording recording;
  run(tensors, point, stream, recording);
}

Work count_standard_hopper(const Tensors& tensors, const Case& point, Stream stream) {
  Recording recording;
  run(tensors, point, stream, recording);
  return recording.total(standard_operands(point), stream);
}

}  // namespace tilemeter::kernels
