#include "kernels/flash2_backward.hpp"

#include <cmath>

#include "kernels/dispatch.hpp"
#include "kernels/element_type.cuh"
#include "kernels/flash2_backward_loops.cuh"
#include "kernels/gradient_passes.hpp"
#include "kernels/operands.hpp"
#include "kernels/recording.hpp"
#include "model/closed_form/gradients.hpp"

namespace tilemeter::kernels {
namespace {

using namespace flash2_backward_steps;

/// One thread block takes one key tile of one stream, or, where dQ has a buffer for each block, some.
template <class S, QueryGradient dq, class Counters>
__global__ void __launch_bounds__(S::threads, 1)
    flash2_backward_keys(const __grid_constant__ Flash2BackwardArguments<typename S::T> a,
                         typename Counters::Records records) {
  extern __shared__ __align__(128) unsigned char flash2_backward_shared[];
  const Tiles<S> tiles{shared_address(flash2_backward_shared)};
  init_barriers<S, stages>(tiles);
  const Place<typename S::T> place{a};
  Counters counters;
  KeyStep<S, dq, Counters> step{a, tiles, place, counters, place.first(), 0};
  for (; step.key_tile < a.key_tiles; step.key_tile += a.blocks_of_stream) step.run();
  counters.flush(records);
}

/// One thread block takes a row block of a stream; blocks_of_stream is the number of row blocks.
template <class S, class Counters>
__global__ void __launch_bounds__(S::threads, 1)
    flash2_backward_rows(const __grid_constant__ Flash2BackwardArguments<typename S::T> a,
                         typename Counters::Records records) {
  extern __shared__ __align__(128) unsigned char flash2_backward_shared[];
  const RowTiles<S> tiles{shared_address(flash2_backward_shared)};
  init_barriers<S, stages>(tiles);
  const Place<typename S::T> place{a};
  const int row_block = a.longest_first ? a.row_blocks - 1 - place.first() : place.first();
  Counters counters;
  RowStep<S, Counters>{a, tiles, place, counters, row_block}.run();
  counters.flush(records);
}

template <class T>
Flash2BackwardArguments<T> arguments(const Tensors& tensors, const Case& point) {
  const Problem& problem = point.problem;
  const bool expands = expands_key_gradients(problem);
  return {.q = tensors.at<const T>(TensorName::Q),
          .k = tensors.at<const T>(TensorName::K),
          .v = tensors.at<const T>(TensorName::V),
          .d_o = tensors.at<const T>(TensorName::dO),
          .lse = tensors.at<const float>(TensorName::LSE),
          .d = tensors.at<const float>(TensorName::D),
          .added_dq = tensors.at<float>(TensorName::dQacc),
          .dq = tensors.at<T>(TensorName::dQ),
          .dk = tensors.at<T>(expands ? TensorName::dKx : TensorName::dK),
          .dv = tensors.at<T>(expands ? TensorName::dVx : TensorName::dV),
          .visible = visibility_of(problem, point.tiling.block_k),
          .seq_q = problem.seq_q,
          .seq_k = problem.seq_k,
          .stride_of_dq = problem.seq_q * problem.head_dim,
          .row_blocks = static_cast<int>(ceil_div(problem.seq_q, point.tiling.block_q)),
          .key_tiles = static_cast<int>(ceil_div(problem.seq_k, point.tiling.block_k)),
          .blocks_of_stream = static_cast<unsigned>(flash2_backward_blocks_of_stream(point)),
          .streams = static_cast<unsigned>(problem.streams()),
          .group = static_cast<int>(problem.group()),
          .buffers = static_cast<int>(accumulation_buffers(point)),
          .longest_first = grows_with_rows(problem.mask),
          .scale = gradient_scale(problem)};
}

/// The kernels that work on tiles.
template <class S, class Recorder>
class Launches {
  using T = typename S::T;
  using Counters = typename Recorder::Counters;

 public:
  Launches(const Tensors& tensors, const Case& point, Stream stream, Recorder& recorder)
      : streams_(point.problem.streams()), stream_(stream), recorder_(recorder), all_(arguments<T>(tensors, point)) {}

  template <QueryGradient dq>
  void keys() {
    launch<Tiles<S>::size>(flash2_backward_keys<S, dq, Counters>);
  }
  void rows() {
    all_.blocks_of_stream = all_.row_blocks;
    launch<RowTiles<S>::size>(flash2_backward_rows<S, Counters>);
  }

 private:
  template <int shared, class Function>
  void launch(Function kernel) {
    const Count blocks = streams_ * all_.blocks_of_stream;
    if (blocks == 0) return;
    TILEMETER_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    kernel<<<static_cast<unsigned>(blocks), S::threads, shared, stream_>>>(all_, recorder_.records(blocks));
    TILEMETER_CHECK(cudaGetLastError());
  }

  Count streams_;
  Stream stream_;
  Recorder& recorder_;
  Flash2BackwardArguments<T> all_;
};

template <class S, class Recorder>
void run_shape(const Tensors& tensors, const Case& point, Stream stream, Recorder& recorder) {
  Launches<S, Recorder> launches(tensors, point, stream, recorder);
  if constexpr (S::head_dim == flash2_backward_two_kernels_head_dim) {
    if (point.options.variant == Variant::two_kernels) {
      launches.template keys<QueryGradient::elsewhere>();
      launches.rows();
      return;
    }
  }
  launches.template keys<QueryGradient::added>();
  launch_gradient_postprocess(tensors, point, gradient_scale(point.problem), stream, recorder);
}

template <class Recorder>
void run(const Tensors& tensors, const Case& point, Stream stream, Recorder& recorder) {
  require_runnable(kernel_named("flash2_backward"), tensors, point);
  launch_gradient_preprocess(tensors, point, stream, recorder);
  with_half_type(point.problem.dtype, [&]<class T>(ElementType<T>) {
    with_tiling<flash2_backward_tilings>(point, [&](auto index) {
      constexpr Flash2BackwardBuild build = flash2_backward_builds[index];
      constexpr KernelTiling tiling = build.tiling;
      using S = GradientShape<T, static_cast<int>(tiling.block_q), static_cast<int>(tiling.block_k),
                              static_cast<int>(tiling.head_dim), build.warps>;
      static_assert(Bytes(Tiles<S>::size) == tiling.shared && RowTiles<S>::size <= Tiles<S>::size);
      run_shape<S>(tensors, point, stream, recorder);
    });
  });
  launch_gradient_reduction(tensors, point, stream, recorder);
}

}  // namespace

void launch_flash2_backward(const Tensors& tensors, const Case& point, Stream stream) {
  NoRecording recording;
  run(tensors, point, stream, recording);
}

Work count_flash2_backward(const Tensors& tensors, const Case& point, Stream stream) {
  Recording recording;
  run(tensors, point, stream, recording);
  return recording.total(flash2_backward_operands(point), stream);
}

}  // namespace tilemeter::kernels
