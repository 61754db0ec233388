#include "kernels/flash3.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/dispatch.hpp"
#include "kernels/element_type.cuh"
#include "kernels/flash3_consume.cuh"
#include "kernels/flash3_ladder.hpp"
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
    if constexpr (S::cluster > 1) shared.synchronise();  // no block leaves while another may reach it
    counters.flush(records);
  }
}

/// The arguments of a launch with query tiles of S; a tensor without elements is described by Q's memory, and not read.
template <class S>
Flash3Arguments arguments(const Tensors& tensors, const Case& point) {
  const Problem& problem = point.problem;
  const Count streams = problem.streams(), kv_streams = problem.batch * problem.kv_heads;
  const Count row_blocks = ceil_div(problem.seq_q, S::block_q);
  const auto map = [&](TensorName name, Count matrices, Count rows, int box_rows, int parts = 1) {
    return panel_map(problem.dtype, tensors[rows > 0 ? name : TensorName::Q], matrices, std::max<Count>(rows, 1),
                     S::head_dim, box_rows, parts);
  };
  const Visibility visible = visibility_of(problem, S::block_k);
  const bool plus = point.options.empty_lse == EmptyLse::plus_infinity;
  constexpr float infinity = std::numeric_limits<float>::infinity();
  constexpr double log2_of_e = 1.4426950408889634;
  return {.q = map(TensorName::Q, streams, problem.seq_q, S::group_rows),
          .k = map(TensorName::K, kv_streams, problem.seq_k, S::block_k, S::cluster),
          .v = map(TensorName::V, kv_streams, problem.seq_k, S::block_k, S::cluster),
          .o = map(TensorName::O, streams, problem.seq_q, S::group_rows),
          .k_memory = tensors[TensorName::K],
          .lse = tensors.at<float>(TensorName::LSE),
          .visible = visible,
          .keys = static_cast<int>(visible.keys),
          .first_key = static_cast<int>(visible.shift - visible.left),
          .end_key = static_cast<int>(visible.shift + visible.right) + 1,
          .seq_q = static_cast<int>(problem.seq_q),
          .seq_k = static_cast<int>(problem.seq_k),
          .group = static_cast<int>(problem.group()),
          .row_blocks = static_cast<int>(row_blocks),
          .streams = static_cast<int>(streams),
          .longest_first = grows_with_rows(problem.mask),
          .tiles = static_cast<int>(streams * row_blocks),
          .scale_log2 = static_cast<float>(log2_of_e / std::sqrt(static_cast<double>(problem.head_dim))),
          .empty_lse = plus ? infinity : -infinity};
}

template <class S, class Records>
void launch(void (*kernel)(Flash3Arguments, Records), int blocks, Stream stream, const Flash3Arguments& a,
            const Records& records) {
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {S::cluster, 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = blocks;
  config.blockDim = S::threads;
  config.dynamicSmemBytes = S::shared;
  config.stream = stream;
  config.attrs = &cluster;
  config.numAttrs = S::cluster > 1 ? 1 : 0;
  TILEMETER_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, S::shared));
  TILEMETER_CHECK(cudaLaunchKernelEx(&config, kernel, a, records));
}

template <class T, const Flash3Build& build, class Recorder>
void run_build(const Tensors& tensors, const Case& point, Stream stream, Recorder& recorder) {
  constexpr KernelTiling tiling = build.tiling;
  using S = Flash3Shape<T, static_cast<int>(tiling.block_q), static_cast<int>(tiling.block_k),
                        static_cast<int>(tiling.head_dim), static_cast<int>(tiling.stages), build.choices>;
  static_assert(Bytes(S::shared) == tiling.shared && S::threads == tiling.threads);
  constexpr auto kernel = flash3<S, typename Recorder::Counters>;
  const Flash3Arguments a = arguments<S>(tensors, point);
  const int blocks = S::choices.persistent ? std::min(a.tiles, multiprocessors()) : a.tiles;
  launch<S>(kernel, blocks, stream, a, recorder.records(blocks));
}

void require_launchable(std::string_view name, const Tensors& tensors, const Case& point) {
  require_runnable(kernel_named(name), tensors, point);
  require_hopper(name);
}

template <class Recorder>
void run(const Tensors& tensors, const Case& point, Stream stream, Recorder& recorder) {
  require_launchable("flash3", tensors, point);
  if (grid_blocks(point) == 0) return;
  with_half_type(point.problem.dtype, [&]<class T>(ElementType<T>) {
    with_tiling<flash3_tilings>(
        point, [&](auto index) { run_build<T, flash3_builds[index]>(tensors, point, stream, recorder); });
  });
}

#ifdef TILEMETER_LADDERS

template <std::size_t rung, class Recorder>
void run_rung(const Tensors& tensors, const Case& point, Stream stream, Recorder& recorder) {
  require_launchable(flash3_rungs[rung].name, tensors, point);
  if (grid_blocks(point) == 0) return;
  run_build<__nv_bfloat16, flash3_rungs[rung].build>(tensors, point, stream, recorder);
}

template <std::size_t rung>
void launch_rung(const Tensors& tensors, const Case& point, Stream stream) {
  NoRecording recording;
  run_rung<rung>(tensors, point, stream, recording);
}

template <std::size_t rung>
Work count_rung(const Tensors& tensors, const Case& point, Stream stream) {
  Recording recording;
  run_rung<rung>(tensors, point, stream, recording);
  return recording.total(flash_operands(point), stream);
}

template <std::size_t... rungs>
constexpr auto launchers_of(std::index_sequence<rungs...>) {
  return std::array{Flash3RungLaunchers{launch_rung<rungs>, count_rung<rungs>}...};
}

#endif

}  // namespace

#ifdef TILEMETER_LADDERS
const std::array<Flash3RungLaunchers, flash3_rungs.size()> flash3_rung_launchers =
    launchers_of(std::make_index_sequence<flash3_rungs.size()>());
#endif

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
