#include "kernels/flash2.hpp"

#include <cmath>
#include <limits>

#include "kernels/dispatch.hpp"
#include "kernels/element_type.cuh"
#include "kernels/flash2_loop.cuh"
#include "kernels/operands.hpp"
#include "kernels/recording.hpp"

namespace tilemeter::kernels {
namespace {

using namespace flash2_steps;

/// One thread block computes block_q rows of one stream.
template <class S, class Counters>
__global__ void __launch_bounds__(S::threads, S::choices.resident)
    flash2(const __grid_constant__ Flash2Arguments<typename S::T> a, typename Counters::Records records) {
  extern __shared__ __align__(128) unsigned char flash2_shared[];
  const Tiles<S> tiles{shared_address(flash2_shared)};
  const Place place(a, S::block_q);
  Counters counters;
  State<S> state;
  KeyLoop<S, Counters>{a, place, tiles, counters}.run(state);
  finish<S>(state, a.scale_log2, a.empty_lse);
  store_o<S>(state, tiles.q(), a, place, counters);
  store_lse<S>(state, a, place, counters);
  counters.flush(records);
}

template <class T>
Flash2Arguments<T> arguments(const Tensors& tensors, const Case& point) {
  const Problem& problem = point.problem;
  const bool plus = point.options.empty_lse == EmptyLse::plus_infinity;
  constexpr float infinity = std::numeric_limits<float>::infinity();
  constexpr double log2_of_e = 1.4426950408889634;
  return {.q = tensors.at<const T>(TensorName::Q),
          .k = tensors.at<const T>(TensorName::K),
          .v = tensors.at<const T>(TensorName::V),
          .o = tensors.at<T>(TensorName::O),
          .lse = tensors.at<float>(TensorName::LSE),
          .visible = visibility_of(problem, point.tiling.block_k),
          .seq_q = problem.seq_q,
          .seq_k = problem.seq_k,
          .row_blocks = static_cast<unsigned>(ceil_div(problem.seq_q, point.tiling.block_q)),
          .streams = static_cast<unsigned>(problem.streams()),
          .group = static_cast<unsigned>(problem.group()),
          .longest_first = grows_with_rows(problem.mask),
          .scale_log2 = static_cast<float>(log2_of_e / std::sqrt(static_cast<double>(problem.head_dim))),
          .empty_lse = plus ? infinity : -infinity};
}

template <std::size_t index, class T, class Recorder>
void run_build(ElementType<T>, const Tensors& tensors, const Case& point, Stream stream, Recorder& recorder) {
  constexpr Flash2Build build = flash2_builds[index];
  constexpr KernelTiling tiling = build.tiling;
  using S = Flash2Shape<T, static_cast<int>(tiling.block_q), static_cast<int>(tiling.block_k),
                        static_cast<int>(tiling.head_dim), static_cast<int>(tiling.threads) / 32, build.choices>;
  static_assert(Bytes(S::shared) == tiling.shared && Bytes(S::shared - S::tiles) == tiling.padding);
  constexpr auto kernel = flash2<S, typename Recorder::Counters>;
  const Count blocks = grid_blocks(point);
  TILEMETER_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, S::shared));
  kernel<<<static_cast<unsigned>(blocks), S::threads, S::shared, stream>>>(arguments<T>(tensors, point),
                                                                           recorder.records(blocks));
  TILEMETER_CHECK(cudaGetLastError());
}

template <class Recorder>
void run(const Tensors& tensors, const Case& point, Stream stream, Recorder& recorder) {
  require_runnable(kernel_named("flash2"), tensors, point);
  if (grid_blocks(point) == 0) return;
  with_half_type(point.problem.dtype, [&](auto type) {
    with_tiling<flash2_tilings>(point, [&](auto index) { run_build<index>(type, tensors, point, stream, recorder); });
  });
}

}  // namespace

void launch_flash2(const Tensors& tensors, const Case& point, Stream stream) {
  NoRecording recording;
  run(tensors, point, stream, recording);
}

Work count_flash2(const Tensors& tensors, const Case& point, Stream stream) {
  Recording recording;
  run(tensors, point, stream, recording);
  return recording.total(flash_operands(point), stream);
}

}  // namespace tilemeter::kernels
