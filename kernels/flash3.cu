#include "kernels/flash3.hpp"

#include "kernels/dispatch.hpp"
#include "kernels/flash3_ladder.hpp"
#include "kernels/flash3_launch.cuh"
#include "kernels/operands.hpp"

namespace tilemeter::kernels {
namespace {

using namespace flash3_steps;

template <class S, class Counters>
__global__ void __launch_bounds__(S::threads, 1)
    flash3(const __grid_constant__ Flash3Arguments a, typename Counters::Records records) {
  if constexpr (hopper) {
    Counters counters;
    attend_tiles<S>(a, counters);
    counters.flush(records);
  }
}

/// The arguments of a launch with query tiles of S; a tensor without elements is described by Q's memory, and not read.
template <class S>
Flash3Arguments arguments(const Tensors& tensors, const Case& point) {
  const Problem& problem = point.problem;
  const Count streams = problem.streams(), kv_streams = problem.batch * problem.kv_heads;
  const auto map = [&](TensorName name, Count matrices, Count rows, int box_rows, int parts = 1) {
    return panel_map(problem.dtype, tensors[rows > 0 ? name : TensorName::Q], matrices, std::max<Count>(rows, 1),
                     S::head_dim, box_rows, parts);
  };
  Flash3Arguments a = arguments_without_maps<S>(tensors, point);
  a.q = map(TensorName::Q, streams, problem.seq_q, S::group_rows);
  a.k = map(TensorName::K, kv_streams, problem.seq_k, S::block_k, S::cluster);
  a.v = map(TensorName::V, kv_streams, problem.seq_k, S::block_k, S::cluster);
  a.o = map(TensorName::O, streams, problem.seq_q, S::group_rows);
  return a;
}

template <class T, const Flash3Build& build, class Recorder>
void run_build(const Tensors& tensors, const Case& point, Stream stream, Recorder& recorder) {
  with_shape<T, build>([&]<class S>(ElementType<S>) {
    launch<S>(flash3<S, typename Recorder::Counters>, arguments<S>(tensors, point), stream, recorder);
  });
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
    with_tiling<flash3_half_tilings>(
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
  return recording.total(flash3_operands(point), stream);
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
  if (point.problem.dtype == DType::fp8) return launch_flash3_fp8(tensors, point, stream);
  NoRecording recording;
  run(tensors, point, stream, recording);
}

Work count_flash3(const Tensors& tensors, const Case& point, Stream stream) {
  if (point.problem.dtype == DType::fp8) return count_flash3_fp8(tensors, point, stream);
  Recording recording;
  run(tensors, point, stream, recording);
  return recording.total(flash3_operands(point), stream);
}

}  // namespace tilemeter::kernels
