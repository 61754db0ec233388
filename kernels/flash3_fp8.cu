// flash3 on operands in fp8 (e4m3): how its tensors lie in memory, and its launches.
#include "kernels/dispatch.hpp"
#include "kernels/flash3_launch.cuh"
#include "kernels/operands.hpp"

namespace tilemeter::kernels {
namespace {

using namespace flash3_steps;

template <class S, class Counters>
__global__ void __launch_bounds__(S::threads, 1)
    flash3_fp8(const __grid_constant__ Flash3Arguments a, typename Counters::Records records) {
  if constexpr (hopper) {
    Counters counters;
    attend_tiles<S>(a, counters);
    counters.flush(records);
  }
}

/// A tensor's memory, or Q's where the tensor has no elements and is not read.
struct Memory {
  const Tensors& tensors;
  bool has_keys;

  const void* of(TensorName name) const { return tensors[has_keys ? name : TensorName::Q]; }
};

/// Rows of K as load_fp8_keys wants them: rows 0 and 1 of four, fours, and the upper or lower two of four.
template <class S>
CUtensorMap key_map(const void* memory, Count streams, Count keys) {
  constexpr Count row = S::head_dim;
  const BoxDimension dimensions[] = {{.size = row, .stride = 1, .box = S::panel_row},
                                     {.size = 2, .stride = row, .box = 2},
                                     {.size = std::max<Count>(keys / 4, 1), .stride = 4 * row, .box = S::block_k / 4},
                                     {.size = 2, .stride = 2 * row, .box = 2},
                                     {.size = streams, .stride = keys * row, .box = 1}};
  return tensor_map(DType::fp8, memory, dimensions);
}

template <class S>
CUtensorMap row_map(const void* memory, Count streams, Count rows, int box_rows) {
  const BoxDimension dimensions[] = {{.size = S::head_dim, .stride = 1, .box = S::panel_row},
                                     {.size = rows, .stride = S::head_dim, .box = box_rows},
                                     {.size = streams, .stride = rows * S::head_dim, .box = 1}};
  return tensor_map(DType::fp8, memory, dimensions);
}

/// Columns of V, of which only the keys that exist are read.
template <class S>
CUtensorMap value_map(const void* memory, Count streams, Count keys) {
  const BoxDimension dimensions[] = {{.size = keys, .stride = 1, .box = S::v_row},
                                     {.size = S::head_dim, .stride = fp8_keys(keys), .box = S::head_dim},
                                     {.size = streams, .stride = fp8_keys(keys) * S::head_dim, .box = 1}};
  return tensor_map(DType::fp8, memory, dimensions);
}

template <class S>
Flash3Arguments arguments(const Tensors& tensors, const Case& point) {
  const Problem& problem = point.problem;
  const Count streams = problem.streams(), kv_streams = problem.batch * problem.kv_heads;
  const Count keys = std::max<Count>(problem.seq_k, 1);
  const Memory memory{tensors, problem.seq_k > 0};
  Flash3Arguments a = arguments_without_maps<S>(tensors, point);
  a.q = row_map<S>(tensors[TensorName::Q], streams, problem.seq_q, S::group_rows);
  a.k = key_map<S>(memory.of(TensorName::K), kv_streams, keys);
  a.k_pairs = row_map<S>(memory.of(TensorName::K), kv_streams, keys, 2);
  a.v = value_map<S>(memory.of(TensorName::V), kv_streams, keys);
  a.o = panel_map(DType::bf16, tensors[TensorName::O], streams, problem.seq_q, S::head_dim, S::group_rows);
  a.descales = tensors.at<float>(TensorName::scales);
  return a;
}

template <class Recorder>
void run(const Tensors& tensors, const Case& point, Stream stream, Recorder& recorder) {
  require_runnable(kernel_named("flash3"), tensors, point);
  require_hopper("flash3");
  if (grid_blocks(point) == 0) return;
  with_tiling<flash3_fp8_tilings>(point, [&](auto index) {
    with_shape<E4m3, flash3_fp8_builds[index]>([&]<class S>(ElementType<S>) {
      launch<S>(flash3_fp8<S, typename Recorder::Counters>, arguments<S>(tensors, point), stream, recorder);
    });
  });
}

}  // namespace

void launch_flash3_fp8(const Tensors& tensors, const Case& point, Stream stream) {
  NoRecording recording;
  run(tensors, point, stream, recording);
}

Work count_flash3_fp8(const Tensors& tensors, const Case& point, Stream stream) {
  Recording recording;
  run(tensors, point, stream, recording);
  return recording.total(flash3_operands(point), stream);
}

}  // namespace tilemeter::kernels
