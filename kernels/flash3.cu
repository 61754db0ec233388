#include "kernels/flash3.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/dispatch.hpp"
#include "kernels/element_type.cuh"
#include "kernels/flash3_consume.cuh"
#include "kernels/flash3_produce.cuh"
#include "kernels/operands.hpp"
#include "kernels/present.hpp"
#include "kernels/recording.hpp"
#include "kernels/tensor_map.hpp"

namespace tilemeter::kernels {
namespace {

using namespace flash3_steps;

/// Each block attends query tiles until none is left.
template <class S, class Counters>
__global__ void __launch_bounds__(S::threads, 1)
    flash3(const __grid_constant__ Flash3Arguments a, typename Counters::Records records) {
  if constexpr (hopper) {
    extern __shared__ unsigned char flash3_shared[];
    const SharedMemory<S> shared(flash3_shared);
    Counters counters;
    shared.init_barriers();
    const int warpgroup = __shfl_sync(~0u, threadIdx.x / warpgroup_size, 0);
    if (warpgroup == 0) {
      shrink_registers<S::producer_registers>();
      produce(a, shared, counters);
    } else {
      grow_registers<S::consumer_registers>();
      Consumer<S, Counters>(a, shared, warpgroup - 1, counters).run();
    }
    counters.flush(records);
  }
}

/// Streams whose K and V, and half as much for what else is under way, fit into `l2_bytes`; a whole group's at least.
int section_of(const Problem& problem, Count l2_bytes) {
  const Count kv_bytes = problem.seq_k * (problem.head_dim + problem.head_dim_v) * size_of(problem.dtype);
  const Count groups = std::max<Count>(1, l2_bytes / 2 / std::max<Count>(1, kv_bytes));
  return static_cast<int>(std::min(problem.streams(), groups * problem.group()));
}

/// The arguments of a launch with query tiles of S; a tensor without elements is described by Q's memory, and not read.
template <class S>
Flash3Arguments arguments(const Tensors& tensors, const Case& point, Count l2_bytes) {
  const Problem& problem = point.problem;
  const Count streams = problem.streams(), kv_streams = problem.batch * problem.kv_heads;
  const Count row_blocks = ceil_div(problem.seq_q, S::block_q);
  const auto map = [&](TensorName name, Count matrices, Count rows, int box_rows) {
    return panel_map(problem.dtype, tensors[rows > 0 ? name : TensorName::Q], matrices, std::max<Count>(rows, 1),
                     S::head_dim, box_rows);
  };
  const bool longest_first = problem.mask.kind == MaskKind::causal || problem.mask.kind == MaskKind::causal_top_left;
  const bool plus = point.options.empty_lse == EmptyLse::plus_infinity;
  constexpr float infinity = std::numeric_limits<float>::infinity();
  constexpr double log2_of_e = 1.4426950408889634;
  return {.q = map(TensorName::Q, streams, problem.seq_q, S::group_rows),
          .k = map(TensorName::K, kv_streams, problem.seq_k, S::block_k),
          .v = map(TensorName::V, kv_streams, problem.seq_k, S::block_k),
          .o = map(TensorName::O, streams, problem.seq_q, S::group_rows),
          .lse = tensors.at<float>(TensorName::LSE),
          .visible = visibility_of(problem, S::block_k),
          .seq_q = static_cast<int>(problem.seq_q),
          .group = static_cast<int>(problem.group()),
          .row_blocks = static_cast<int>(row_blocks),
          .streams = static_cast<int>(streams),
          .section = longest_first ? section_of(problem, l2_bytes) : 0,
          .tiles = static_cast<int>(streams * row_blocks),
          .scale_log2 = static_cast<float>(log2_of_e / std::sqrt(static_cast<double>(problem.head_dim))),
          .empty_lse = plus ? infinity : -infinity};
}

int device_attribute(cudaDeviceAttr attribute) {
  int device = 0, value = 0;
  TILEMETER_CHECK(cudaGetDevice(&device));
  TILEMETER_CHECK(cudaDeviceGetAttribute(&value, attribute, device));
  return value;
}

template <std::size_t index, class T, class Recorder>
void run_build(ElementType<T>, const Tensors& tensors, const Case& point, Stream stream, Recorder& recorder) {
  constexpr Flash3Build build = flash3_builds[index];
  constexpr KernelTiling tiling = build.tiling;
  using S = Flash3Shape<T, static_cast<int>(tiling.block_q), static_cast<int>(tiling.block_k),
                        static_cast<int>(tiling.head_dim), static_cast<int>(tiling.stages), build.choices>;
  static_assert(Bytes(S::shared) == tiling.shared && S::threads == tiling.threads);
  constexpr auto kernel = flash3<S, typename Recorder::Counters>;
  const Flash3Arguments a = arguments<S>(tensors, point, device_attribute(cudaDevAttrL2CacheSize));
  const int resident = device_attribute(cudaDevAttrMultiProcessorCount);
  const int blocks = S::choices.persistent ? std::min(a.tiles, resident) : a.tiles;
  TILEMETER_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, S::shared));
  kernel<<<blocks, S::threads, S::shared, stream>>>(a, recorder.records(blocks));
  TILEMETER_CHECK(cudaGetLastError());
}

template <class Recorder>
void run(const Tensors& tensors, const Case& point, Stream stream, Recorder& recorder) {
  require_runnable(kernel_named("flash3"), tensors, point);
  require_hopper("flash3");
  if (grid_blocks(point) == 0) return;
  with_half_type(point.problem.dtype, [&](auto type) {
    with_tiling<flash3_tilings>(point, [&](auto index) { run_build<index>(type, tensors, point, stream, recorder); });
  });
}

}  // namespace

void launch_flash3(const Tensors& tensors, const Case& point, Stream stream) {
  NoRecording recording;
  run(tensors, point, stream, recording);
}

Work count_flash3(const Tensors& tensors, const Case& point, Stream stream) {
  Recording recording;
  run(tensors, point, stream, recording);
  return recording.total(flash_operands(point), stream);
}

}  // namespace tilemeter::kernels
