#include "kernels/flash2_backward.hpp"

#include <cmath>

#include "kernels/dispatch.hpp"
#include "kernels/element_type.cuh"
#include "kernels/flash2_backward_block.cuh"
#include "kernels/gradient_passes.hpp"
#include "kernels/operands.hpp"
#include "kernels/recording.hpp"
#include "model/closed_form/gradients.hpp"

namespace tilemeter::kernels {
namespace {

using namespace flash2_backward_steps;

/// A key tile's way past the row blocks that visit it: dK and dV stay in registers, dQ is added to memory.
template <class S, class Counters>
struct KeyStep {
  using T = typename S::T;

  const Flash2BackwardArguments<T>& a;
  Tiles<S> tiles;
  const Place& place;
  Counters& counters;
  int key_tile;
  int turn;

  __device__ void arrive(int stage) {
    tiles.full(stage).arrive_after_copies();
    tiles.full(stage).arrive();
  }

  __device__ void run() {
    const Range blocks = visiting_row_blocks(a.visible, key_tile, a.row_blocks, S::block_q, S::block_k);
    const int first = static_cast<int>(blocks.first), last = static_cast<int>(blocks.last);
    if (first < last) {
      load_keys();
      load_queries<S>(tiles, turn % 2, a, place.stream(), first, counters);
      arrive(turn % 2);
    }

    typename S::KeyPart::Sums dk, dv;
    clear(dk);
    clear(dv);
    for (int row_block = first; row_block < last; ++row_block, ++turn) {
      visit(dk, dv, row_block, last);
      counters.tile();
    }
    store(dk, dv);
  }

  __device__ Count key_begin() const { return Count{key_tile} * S::block_k; }

  __device__ void load_keys() {
    const Count from = (place.kv_stream(a) * a.seq_k + key_begin()) * S::head_dim, valid = a.seq_k - key_begin();
    copy_rows<S::threads>(tiles.k(), a.k + from, S::head_dim, valid, TensorName::K, counters);
    copy_rows<S::threads>(tiles.v(), a.v + from, S::head_dim, valid, TensorName::V, counters);
  }

  __device__ void visit(typename S::KeyPart::Sums& dk, typename S::KeyPart::Sums& dv, int row_block, int last) {
    const Count row_begin = Count{row_block} * S::block_q;
    const int stage = turn % 2;
    tiles.forget();
    tiles.full(stage).wait(turn / 2 % 2);
    put_weights(row_begin, stage);
    __syncthreads();
    if (row_block + 1 < last) {
      load_queries<S>(tiles, stage ^ 1, a, place.stream(), row_block + 1, counters);
      arrive(stage ^ 1);
    }
    typename S::QueryPart::Sums sums;
    clear(sums);
    add_query_gradient<S>(sums, tiles.ds(stage), tiles.k());
    QueryGradientToMemory<S, Counters> out(place.dq(a, row_begin * S::head_dim), a.seq_q - row_begin, sums, counters);
    const auto add_a_piece = [&](int i) {
      if (i % 2 == 0 && i / 2 < LanePieces<S>::number) out.add(i / 2);
    };
    constexpr int products = S::block_q / 16 * S::KeyPart::pairs;
    add_key_gradients<S>(dv, tiles.p(stage), tiles.d_o(stage), add_a_piece);
    add_key_gradients<S>(dk, tiles.ds(stage), tiles.q(stage), [&](int i) { add_a_piece(products + i); });
  }

  /// P and dS of the visit, in shared memory.
  __device__ void put_weights(Count row_begin, int stage) {
    using Part = typename S::ScorePart;
    typename Part::Sums sums;
    RoundedSums<Part> p, ds;
    multiply_rows<S>(sums, tiles.q(stage), tiles.k());
    mask<S>(sums, a.visible, row_begin, key_begin());
    probabilities<S>(sums, tiles.lse(stage), a.scale * log2_of_e);
    round_sums<T, Part>(p, sums);
    put<Part>(tiles.p(stage), p);
    multiply_rows<S>(sums, tiles.d_o(stage), tiles.v());
    score_gradients<S>(sums, p, tiles.d(stage));
    round_sums<T, Part>(ds, sums);
    put<Part>(tiles.ds(stage), ds);
  }

  /// dK and dV leave through the memory of K and V.
  __device__ void store(const typename S::KeyPart::Sums& dk, const typename S::KeyPart::Sums& dv) {
    const Count to = (place.stream() * a.seq_k + key_begin()) * S::head_dim, valid = a.seq_k - key_begin();
    __syncthreads();
    put_gradients<S>(tiles, dk, dv, a.scale);
    __syncthreads();
    const bool expands = a.group > 1;
    store_rows<S>(a.dk + to, tiles.k(), valid, expands ? TensorName::dKx : TensorName::dK, counters);
    store_rows<S>(a.dv + to, tiles.v(), valid, expands ? TensorName::dVx : TensorName::dV, counters);
  }
};

/// One thread block takes one key tile of one stream, or, where dQ has a buffer for each block, some.
template <class S, class Counters>
__global__ void __launch_bounds__(S::threads, 1)
    flash2_backward(const __grid_constant__ Flash2BackwardArguments<typename S::T> a,
                    typename Counters::Records records) {
  extern __shared__ __align__(128) unsigned char flash2_backward_shared[];
  const Tiles<S> tiles{shared_address(flash2_backward_shared)};
  const Place place(a);
  Counters counters;
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < stages; ++stage) tiles.full(stage).init(2 * S::threads);
  }
  __syncthreads();
  int turn = 0;
  for (int tile = place.first; tile < a.key_tiles; tile += a.blocks_of_stream) {
    if (tile != place.first) __syncthreads();
    KeyStep<S, Counters> step{a, tiles, place, counters, tile, turn};
    step.run();
    turn = step.turn;
  }
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
          .dq = tensors.at<float>(TensorName::dQacc),
          .dk = tensors.at<T>(expands ? TensorName::dKx : TensorName::dK),
          .dv = tensors.at<T>(expands ? TensorName::dVx : TensorName::dV),
          .visible = visibility_of(problem, point.tiling.block_k),
          .seq_q = problem.seq_q,
          .seq_k = problem.seq_k,
          .stride_of_dq = problem.seq_q * problem.head_dim,
          .row_blocks = static_cast<int>(ceil_div(problem.seq_q, point.tiling.block_q)),
          .key_tiles = static_cast<int>(ceil_div(problem.seq_k, point.tiling.block_k)),
          .blocks_of_stream = static_cast<int>(flash2_backward_blocks_of_stream(point)),
          .streams = static_cast<int>(problem.streams()),
          .group = static_cast<int>(problem.group()),
          .buffers = static_cast<int>(accumulation_buffers(point)),
          .longest_first = problem.mask.kind == MaskKind::causal || problem.mask.kind == MaskKind::causal_top_left,
          .scale = gradient_scale(problem)};
}

template <std::size_t index, class T, class Recorder>
void run_build(ElementType<T>, const Tensors& tensors, const Case& point, Stream stream, Recorder& recorder) {
  constexpr Flash2BackwardBuild build = flash2_backward_builds[index];
  constexpr KernelTiling tiling = build.tiling;
  using S = GradientShape<T, static_cast<int>(tiling.block_q), static_cast<int>(tiling.block_k),
                          static_cast<int>(tiling.head_dim), build.warps>;
  constexpr int shared = Tiles<S>::size;
  static_assert(Bytes(shared) == tiling.shared && S::threads == tiling.threads);
  constexpr auto kernel = flash2_backward<S, typename Recorder::Counters>;
  const Count blocks = point.problem.streams() * flash2_backward_blocks_of_stream(point);
  TILEMETER_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
  kernel<<<static_cast<unsigned>(blocks), S::threads, shared, stream>>>(arguments<T>(tensors, point),
                                                                        recorder.records(blocks));
  TILEMETER_CHECK(cudaGetLastError());
}

template <class Recorder>
void run(const Tensors& tensors, const Case& point, Stream stream, Recorder& recorder) {
  require_runnable(kernel_named("flash2_backward"), tensors, point);
  launch_gradient_preprocess(tensors, point, stream, recorder);
  if (point.problem.seq_k > 0) {
    with_half_type(point.problem.dtype, [&](auto type) {
      with_tiling<flash2_backward_tilings>(
          point, [&](auto index) { run_build<index>(type, tensors, point, stream, recorder); });
    });
  }
  launch_gradient_postprocess(tensors, point, gradient_scale(point.problem), stream, recorder);
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
