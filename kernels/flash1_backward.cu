#include "kernels/flash1_backward.hpp"

#include "kernels/dispatch.hpp"
#include "kernels/element_type.cuh"
#include "kernels/flash1_backward_block.cuh"
#include "kernels/gradient_passes.hpp"
#include "kernels/operand_memory.hpp"
#include "kernels/operands.hpp"
#include "kernels/recording.hpp"
#include "model/closed_form/gradients.hpp"

namespace tilemeter::kernels {
namespace {

using namespace flash1_backward_steps;

/// A key tile's way past the row blocks that visit it: dK and dV stay in registers, dQ is read and written.
template <class S, class Counters>
struct KeyStep {
  using T = typename S::T;

  const Flash1BackwardArguments<T>& a;
  Tiles<S> tiles;
  Counters& counters;
  int key_tile;
  int turn;  ///< of all visits of the block

  __device__ Count stream() const { return block_number(); }
  __device__ Count kv_stream() const { return stream() / a.group; }
  __device__ Count key_begin() const { return Count{key_tile} * S::block_k; }

  __device__ void run() {
    const Range blocks = visiting_row_blocks(a.visible, key_tile, a.row_blocks, S::block_q, S::block_k);
    const int first = static_cast<int>(blocks.first), last = static_cast<int>(blocks.last);
    if (first < last) {
      load_keys<S>(tiles.k(), tiles.v(), *this, key_tile, counters);
      load_queries(tiles, turn % 2, a, stream(), first, counters);
    }
    typename S::KeyPart::Sums dk, dv;
    clear(dk);
    clear(dv);
    for (int row_block = first; row_block < last; ++row_block, ++turn) {
      visit(dk, dv, row_block, last);
      counters.tile();
    }
    store_key_gradients<S>(tiles, a, stream(), key_begin(), dk, dv, counters);
  }

  __device__ void visit(typename S::KeyPart::Sums& dk, typename S::KeyPart::Sums& dv, int row_block, int last) {
    const Count row_begin = Count{row_block} * S::block_q;
    const int stage = turn % 2;
    tiles.forget();
    tiles.full(stage).wait(turn / 2 % 2);
    row_products(tiles, stage);
    __syncthreads();
    if (row_block + 1 < last) load_queries(tiles, stage ^ 1, a, stream(), row_block + 1, counters);
    put_weights(row_begin, stage);
    __syncthreads();
    add_key_gradients<S>(dv, tiles.p(), tiles.d_o(stage));
    StoredQueryGradient<S, Counters> dq(a, stream() * a.seq_q + row_begin, a.seq_q - row_begin, counters);
    dq.load();
    typename S::QueryPart::Sums sums;
    clear(sums);
    add_query_gradient<S>(sums, tiles.ds(), tiles.k());
    dq.add(sums, a.scale);
    add_key_gradients<S>(dk, tiles.ds(), tiles.q(stage));
  }

  /// P and dS of the visit, in shared memory.
  __device__ void put_weights(Count row_begin, int stage) {
    using Part = typename S::ScorePart;
    typename Part::Sums sums;
    RoundedSums<Part> p, ds;
    multiply_rows<S>(sums, tiles.q(stage), tiles.k());
    mask<S>(sums, a.visible, row_begin, key_begin());
    probabilities<S>(sums, tiles.l(stage), tiles.m(stage), a.scale * log2_of_e);
    round_sums<T, Part>(p, sums);
    put<Part>(tiles.p(), p);
    multiply_rows<S>(sums, tiles.d_o(stage), tiles.v());
    score_gradients<S>(sums, p, tiles.d());
    round_sums<T, Part>(ds, sums);
    put<Part>(tiles.ds(), ds);
  }
};

/// One thread block takes a stream: all key tiles, one after the other.
template <class S, class Counters>
__global__ void __launch_bounds__(S::threads, 1)
    flash1_backward(const __grid_constant__ Flash1BackwardArguments<typename S::T> a,
                    typename Counters::Records records) {
  extern __shared__ __align__(128) unsigned char flash1_backward_shared[];
  const Tiles<S> tiles{shared_address(flash1_backward_shared)};
  init_barriers<S, stages>(tiles);
  Counters counters;
  KeyStep<S, Counters> step{a, tiles, counters, 0, 0};
  for (; step.key_tile < a.key_tiles; ++step.key_tile) step.run();
  counters.flush(records);
}

template <class T>
Flash1BackwardArguments<T> arguments(const Tensors& tensors, const Case& point) {
  const Problem& problem = point.problem;
  const bool expands = expands_key_gradients(problem);
  return {.q = tensors.at<const T>(TensorName::Q),
          .k = tensors.at<const T>(TensorName::K),
          .v = tensors.at<const T>(TensorName::V),
          .o = tensors.at<const T>(TensorName::O),
          .d_o = tensors.at<const T>(TensorName::dO),
          .l = tensors.at<const float>(TensorName::l),
          .m = tensors.at<const float>(TensorName::m),
          .dq = tensors[TensorName::dQ],
          .dq_is_float = problem.o_dtype == DType::fp32,
          .dk = tensors.at<T>(expands ? TensorName::dKx : TensorName::dK),
          .dv = tensors.at<T>(expands ? TensorName::dVx : TensorName::dV),
          .visible = visibility_of(problem, point.tiling.block_k),
          .seq_q = problem.seq_q,
          .seq_k = problem.seq_k,
          .row_blocks = static_cast<int>(ceil_div(problem.seq_q, point.tiling.block_q)),
          .key_tiles = static_cast<int>(ceil_div(problem.seq_k, point.tiling.block_k)),
          .group = static_cast<int>(problem.group()),
          .scale = gradient_scale(problem)};
}

template <class Recorder>
void run(const Tensors& tensors, const Case& point, Stream stream, Recorder& recorder) {
  require_runnable(kernel_named("flash1_backward"), tensors, point);
  with_tiling<flash1_backward_tilings>(point, [&](auto index) {
    constexpr Flash1BackwardBuild build = flash1_backward_builds[index];
    constexpr KernelTiling tiling = build.tiling;
    with_half_type(point.problem.dtype, [&]<class T>(ElementType<T>) {
      using S = GradientShape<T, static_cast<int>(tiling.block_q), static_cast<int>(tiling.block_k),
                              static_cast<int>(tiling.head_dim), build.warps>;
      constexpr int shared = Tiles<S>::size;
      static_assert(Bytes(shared) == tiling.shared);
      constexpr auto kernel = flash1_backward<S, typename Recorder::Counters>;
      const Count blocks = point.problem.streams();
      TILEMETER_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
      kernel<<<static_cast<unsigned>(blocks), S::threads, shared, stream>>>(arguments<T>(tensors, point),
                                                                            recorder.records(blocks));
      TILEMETER_CHECK(cudaGetLastError());
    });
  });
  launch_gradient_reduction(tensors, point, stream, recorder);
}

}  // namespace

void prepare_flash1_backward(const Tensors& tensors, const Case& point, Stream stream) {
  clear_states(flash1_backward_operands(point), tensors, stream);
}

void launch_flash1_backward(const Tensors& tensors, const Case& point, Stream stream) {
  NoRecording recording;
  run(tensors, point, stream, recording);
}

Work count_flash1_backward(const Tensors& tensors, const Case& point, Stream stream) {
  Recording recording;
  run(tensors, point, stream, recording);
  return recording.total(flash1_backward_operands(point), stream);
}

}  // namespace tilemeter::kernels
