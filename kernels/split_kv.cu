#include "kernels/split_kv.hpp"

#include <cmath>
#include <limits>

#include "kernels/dispatch.hpp"
#include "kernels/element_type.cuh"
#include "kernels/operands.hpp"
#include "kernels/recording.hpp"
#include "kernels/split_combine.cuh"
#include "kernels/split_merge.cuh"
#include "model/split_heuristic.hpp"

namespace tilemeter::kernels {
namespace {

using split::Arguments;

/// One thread block computes a split of a row block.
template <class S, class Counters>
__global__ void __launch_bounds__(S::threads, 2)
    split_kv(const __grid_constant__ Arguments<typename S::Element> a, typename Counters::Records records) {
  extern __shared__ uint4 shared[];
  const split::Place place(a, S());
  Counters counters;
  split::State<S> state;
  split::release_next_kernel();
  if (!place.tiles.empty()) split::attend<S>(state, a, place, shared_address(shared), counters);
  const split::Scratch<S> scratch{reinterpret_cast<float*>(shared) + S::QTile::size / sizeof(float)};
  __syncthreads();
  split::share_statistics<S>(state, scratch);
  __syncthreads();
  split::share_output<S>(state, scratch, a, place, counters);
  __syncthreads();
  split::store<S>(scratch, a, place, counters);
  counters.flush(records);
}

template <class T>
Arguments<T> arguments(const Tensors& tensors, const Case& point) {
  const Problem& problem = point.problem;
  const bool packed = problem.packing == Packing::packed;
  const auto group = static_cast<unsigned>(problem.group());
  const bool plus = point.options.empty_lse == EmptyLse::plus_infinity;
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const auto splits = static_cast<unsigned>(splits_of(point));
  return {.q = tensors.at<const T>(TensorName::Q),
          .k = tensors.at<const T>(TensorName::K),
          .v = tensors.at<const T>(TensorName::V),
          .o = tensors.at<T>(TensorName::O),
          .lse = tensors.at<float>(TensorName::LSE),
          .o_parts = tensors.at<float>(TensorName::Oacc),
          .lse_parts = tensors.at<float>(TensorName::LSEacc),
          .visible = visibility_of(problem, point.tiling.block_k),
          .seq_q = problem.seq_q,
          .seq_k = problem.seq_k,
          .rows = static_cast<unsigned>(problem.rows()),
          .heads = packed ? group : 1,
          .kv_share = packed ? 1 : group,
          .row_blocks = static_cast<unsigned>(ceil_div(problem.rows(), point.tiling.block_q)),
          .splits = splits,
          .tiles = split_kv_tiles(point),
          .query_rows = problem.batch * problem.heads * problem.seq_q,
          .scale = static_cast<float>(split::log2_e / std::sqrt(static_cast<double>(problem.head_dim))),
          .empty_lse = plus ? infinity : -infinity};
}

/// Whether this GPU can start a kernel while the one before it ends: since Hopper.
bool starts_early() {
  int device = 0, major = 0;
  TILEMETER_CHECK(cudaGetDevice(&device));
  TILEMETER_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  return major >= 9;
}

template <class T, int HeadDim, class Recorder>
void run_combine(const Arguments<T>& a, Stream stream, Recorder& recorder) {
  using S = split::CombineShape<T, HeadDim>;
  const Count blocks = ceil_div(a.query_rows, Count{S::rows});
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = static_cast<unsigned>(blocks);
  config.blockDim = S::threads;
  config.dynamicSmemBytes = S::rows * a.splits * sizeof(float);
  config.stream = stream;
  config.attrs = &early;
  config.numAttrs = starts_early() ? 1 : 0;
  TILEMETER_CHECK(cudaLaunchKernelEx(&config, split::split_kv_combine<S, typename Recorder::Counters>, a,
                                     recorder.records(blocks)));
}

template <class Recorder>
void run(const Tensors& tensors, const Case& point, Stream stream, Recorder& recorder) {
  require_runnable(kernel_named("split_kv"), tensors, point);
  const Count blocks = split_kv_blocks(point);
  with_half_type(point.problem.dtype, [&]<class T>(ElementType<T>) {
    const Arguments<T> a = arguments<T>(tensors, point);
    with_tiling<split_kv_tilings>(point, [&](auto index) {
      constexpr KernelTiling tiling = split_kv_tilings[index];
      using S = split::Shape<T, static_cast<int>(tiling.block_q), static_cast<int>(tiling.block_k),
                             static_cast<int>(tiling.head_dim), static_cast<int>(tiling.stages)>;
      static_assert(S::threads == tiling.threads && S::shared == tiling.shared.value());
      constexpr auto kernel = split_kv<S, typename Recorder::Counters>;
      TILEMETER_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, S::shared));
      kernel<<<static_cast<unsigned>(blocks), S::threads, S::shared, stream>>>(a, recorder.records(blocks));
      TILEMETER_CHECK(cudaGetLastError());
    });
    if (a.splits == 1) return;
    switch (point.problem.head_dim) {
      case 64:
        return run_combine<T, 64>(a, stream, recorder);
      case 128:
        return run_combine<T, 128>(a, stream, recorder);
      case 256:
        return run_combine<T, 256>(a, stream, recorder);
    }
  });
}

}  // namespace

void launch_split_kv(const Tensors& tensors, const Case& point, Stream stream) {
  NoRecording recording;
  run(tensors, point, stream, recording);
}

Work count_split_kv(const Tensors& tensors, const Case& point, Stream stream) {
  Recording recording;
  run(tensors, point, stream, recording);
  return recording.total(split_kv_operands(point), stream);
}

}  // namespace tilemeter::kernels
