#include "kernels/flash1.hpp"

#include <algorithm>

#include "kernels/dispatch.hpp"
#include "kernels/element_type.cuh"
#include "kernels/flash1.cuh"
#include "kernels/operand_memory.hpp"
#include "kernels/operands.hpp"
#include "kernels/recording.hpp"

namespace tilemeter::kernels {
namespace {

/// One thread block takes its row blocks of one stream past every key tile that they visit. While a visit is computed
/// the next one's Q, and from the middle on its O, l and m, are on their way; unless it is to the same rows, which must
/// be stored first.
template <class S, class Counters>
__global__ void __launch_bounds__(S::threads, S::resident)
    flash1(const __grid_constant__ Flash1Arguments<S> a, typename Counters::Records records) {
  using namespace flash1_steps;
  extern __shared__ __align__(1024) unsigned char flash1_shared[];
  const Tiles<S> tiles{shared_address(flash1_shared)};
  const int stream = blockIdx.x / a.splits;
  const Walk<S> walk(a, blockIdx.x % a.splits);
  Counters counters;
  WarpRows<S, Counters> own(a, tiles, stream, counters);

  Visit visit = walk.first();
  if (!walk.ends(visit)) {
    own.start_q(visit);
    commit_copies();
    own.start_state(visit);
    commit_copies();
  }
  for (int key_tile = -1; !walk.ends(visit);) {
    if (visit.key_tile != key_tile) load_keys(a, tiles, stream / a.group, key_tile = visit.key_tile, counters);
    const Visit next = walk.after(visit);
    const bool more = !walk.ends(next), same_rows = next.row_block == visit.row_block;
    wait_for_copies<1>();
    __syncwarp();
    Fragment q[S::q_steps];
    own.load_q(q);
    __syncwarp();
    if (more) own.start_q(next);
    commit_copies();

    Scores<S> s;
    scores<S>(s, q, tiles.k());
    const Count row_begin = own.row_begin(visit), key_begin = Count{key_tile} * S::block_k;
    if (!sees_all(a.visible, row_begin, S::warp_rows, key_begin, S::block_k)) {
      mask<S>(s, a.visible, row_begin, key_begin);
    }
    Statistics rows = own.statistics();
    float carried[2];
    softmax<S>(s, rows, carried, a.scale);
    Fragment p[S::k_pairs];
    round_weights<S>(p, s);

    wait_for_copies<1>();
    __syncwarp();
    Output<S> o;
    own.load_o(o);
    __syncwarp();
    if (more && !same_rows) own.start_state(next);
    scale_rows<S>(o, carried);
    accumulate<S>(o, p, tiles.v());
    normalise<S>(o, rows);
    own.store(visit, o, rows);
    __syncwarp();
    if (more && same_rows) own.start_state(next);
    commit_copies();
    counters.tile();
    visit = next;
  }
  counters.flush(records);
}

/// The maximum of rows that have seen no key.
__global__ void flash1_clear_maxima(float* m, Count rows) {
  const Count row = Count{blockIdx.x} * blockDim.x + threadIdx.x;
  if (row < rows) m[row] = -INFINITY;
}

template <class S>
Flash1Arguments<S> arguments(const Tensors& tensors, const Case& point) {
  const Problem& problem = point.problem;
  return {.q = tensors.at<const typename S::T>(TensorName::Q),
          .k = tensors.at<const typename S::T>(TensorName::K),
          .v = tensors.at<const typename S::T>(TensorName::V),
          .o = tensors.at<typename S::O>(TensorName::O),
          .l = tensors.at<float>(TensorName::l),
          .m = tensors.at<float>(TensorName::m),
          .visible = visibility_of(problem, point.tiling.block_k),
          .seq_q = problem.seq_q,
          .seq_k = problem.seq_k,
          .row_blocks = static_cast<int>(ceil_div(problem.seq_q, point.tiling.block_q)),
          .splits = static_cast<int>(point.options.row_splits),
          .group = static_cast<int>(problem.group()),
          .elides_first_read = point.options.first_visit == FirstVisit::elides_read,
          .scale = static_cast<float>(1 / std::sqrt(static_cast<double>(problem.head_dim)))};
}

/// Blocks that fit on an SM of 228 KiB, of which the system takes 1 KiB a block; at most four, which leaves a thread of
/// 128 the registers that the larger S needs.
constexpr int resident_blocks(Bytes shared) {
  return static_cast<int>(std::min<Count>(4, 228 * 1024 / (shared.value() + 1024)));
}

template <class S, class Recorder>
void launch_shape(const Tensors& tensors, const Case& point, Stream stream, Recorder& recorder) {
  constexpr int shared = flash1_steps::Tiles<S>::size;
  constexpr auto kernel = flash1<S, typename Recorder::Counters>;
  const Count blocks = flash1_blocks(point);
  TILEMETER_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
  kernel<<<static_cast<unsigned>(blocks), S::threads, shared, stream>>>(arguments<S>(tensors, point),
                                                                        recorder.records(blocks));
  TILEMETER_CHECK(cudaGetLastError());
}

template <class Recorder>
void run(const Tensors& tensors, const Case& point, Stream stream, Recorder& recorder) {
  require_runnable(kernel_named("flash1"), tensors, point);
  with_tiling<flash1_tilings>(point, [&](auto index) {
    constexpr KernelTiling tiling = flash1_tilings[index];
    with_half_type(point.problem.dtype, [&]<class T>(ElementType<T>) {
      const auto launch = [&]<class O>(ElementType<O>) {
        using S = Flash1Shape<T, O, static_cast<int>(tiling.block_q), static_cast<int>(tiling.block_k),
                              static_cast<int>(tiling.head_dim), resident_blocks(tiling.shared)>;
        static_assert(S::threads == tiling.threads && flash1_steps::Tiles<S>::size == tiling.shared.value());
        launch_shape<S>(tensors, point, stream, recorder);
      };
      if (point.problem.o_dtype == DType::fp32) {
        launch(ElementType<float>());
      } else {
        launch(ElementType<T>());
      }
    });
  });
}

}  // namespace

void prepare_flash1(const Tensors& tensors, const Case& point, Stream stream) {
  const auto operands = flash1_operands(point);
  clear_states(operands, tensors, stream);
  const auto m = std::find_if(operands.begin(), operands.end(), [](const auto& o) { return o.name == TensorName::m; });
  constexpr int threads = 256;
  const auto blocks = static_cast<unsigned>(ceil_div(m->elements, threads));
  flash1_clear_maxima<<<blocks, threads, 0, stream>>>(tensors.at<float>(TensorName::m), m->elements);
  TILEMETER_CHECK(cudaGetLastError());
}

void launch_flash1(const Tensors& tensors, const Case& point, Stream stream) {
  NoRecording recording;
  run(tensors, point, stream, recording);
}

Work count_flash1(const Tensors& tensors, const Case& point, Stream stream) {
  Recording recording;
  run(tensors, point, stream, recording);
  return recording.total(flash1_operands(point), stream);
}

}  // namespace tilemeter::kernels
