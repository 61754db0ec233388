#include "kernels/flash3_backward.hpp"

#include "kernels/dispatch.hpp"
#include "kernels/element_type.cuh"
#include "kernels/flash2_backward.hpp"
#include "kernels/flash3_backward_copies.cuh"
#include "kernels/flash3_backward_loop.cuh"
#include "kernels/gradient_passes.hpp"
#include "kernels/operands.hpp"
#include "kernels/present.hpp"
#include "kernels/recording.hpp"
#include "kernels/tensor_map.hpp"
#include "model/closed_form/gradients.hpp"

namespace tilemeter::kernels {
namespace {

using namespace flash3_gradients;

/// Rounds this consumer's 64 rows of dK or dV and puts them side by side in its half of a tile of K's size.
template <class S>
__device__ __forceinline__ std::uint32_t stage_gradient(std::uint32_t tile, const Gradient<S>& gradient, int consumer) {
  const std::uint32_t own = tile + consumer * S::panels * S::own_panel;
#pragma unroll
  for (int panel = 0; panel < S::panels; ++panel) {
    store_panel<typename S::Element>(own + panel * S::own_panel, gradient, panel * 32);
  }
  return own;
}

/// Stores dK and dV of this consumer's keys.
template <class S, class Counters>
__device__ __forceinline__ void store_gradients(const Arguments& a, const SharedMemory<S>& shared, const KeyTile& tile,
                                                int consumer, KeyGradients<S>& keys, Counters& counters) {
#pragma unroll
  for (float& value : keys.dk) value *= a.scale;
  const std::uint32_t dv = stage_gradient<S>(shared.v(), keys.dv, consumer);
  const std::uint32_t dk = stage_gradient<S>(shared.k(), keys.dk, consumer);
  fence_async_proxy();
  named_barrier(BarrierNumber::consumer(consumer), warpgroup_size);
  if (threadIdx.x % warpgroup_size != 0) return;
  const MatrixRows at{tile.key + consumer * S::own_keys, tile.stream};
  store_rows(a.dv, at, dv);
  store_rows(a.dk, at, dk);
  commit_stores();
  const int elements = S::head_dim * max(0, min(S::own_keys, tile.keys - consumer * S::own_keys));
  counters.write(a.dv_name, elements);
  counters.write(a.dk_name, elements);
  wait_stores_read<0>();
}

/// dK and dV of 64 keys of every tile. One warpgroup.
template <class S, class Counters>
__device__ void consume(const Arguments& a, const SharedMemory<S>& shared, int consumer, Counters& counters) {
  ConsumerLoop<S> loop{a, shared, consumer};
  int parity = 0;
  Schedule<S>{a}.each([&](const KeyTile& tile) {
    KeyGradients<S> keys;
    keys.clear();
    if (tile.visited()) {
      shared.keys_full().wait(parity, "flash3_backward: K and V");
      parity ^= 1;
      loop.run(tile, keys);
    }
    named_barrier(BarrierNumber::all_consumers, S::consumers * warpgroup_size);  // both have read K
    store_gradients<S>(a, shared, tile, consumer, keys, counters);
    named_barrier(BarrierNumber::all_consumers, S::consumers * warpgroup_size);
    if (tile.visited() && threadIdx.x % warpgroup_size == 0) shared.keys_empty().arrive();
  });
  if (threadIdx.x % warpgroup_size == 0) wait_stores();
}

/// dK and dV of key tiles of a stream, and what they add to dQ.
template <class S, class Counters>
__global__ void __launch_bounds__(S::threads, 1)
    flash3_backward(const __grid_constant__ Arguments a, typename Counters::Records records) {
  if constexpr (hopper) {
    extern __shared__ unsigned char flash3_backward_shared[];
    const SharedMemory<S> shared(flash3_backward_shared);
    Counters counters;
    if (threadIdx.x == 0) shared.init_barriers();
    __syncthreads();
    const int warpgroup = __shfl_sync(~0u, threadIdx.x / warpgroup_size, 0);
    if (warpgroup == 0) {
      shrink_registers<S::producer_registers>();
      const int warp = __shfl_sync(~0u, threadIdx.x / warp_size, 0);
      if (warp == 0) {
        if (threadIdx.x == 0) copy_tiles(a, shared, counters);
      } else if (warp == 1) {
        copy_statistics(a, shared, counters);
      } else {
        add_dq(a, shared, warp - 2, counters);
      }
      __syncwarp();
    } else {
      grow_registers<S::consumer_registers>();
      consume(a, shared, warpgroup - 1, counters);
    }
    counters.flush(records);
  }
}

template <class S>
Arguments arguments(const Tensors& tensors, const Case& point) {
  const Problem& problem = point.problem;
  const Count streams = problem.streams(), kv_streams = problem.batch * problem.kv_heads;
  const Count buffers = accumulation_buffers(point);
  const bool expands = expands_key_gradients(problem);
  const TensorName dk = expands ? TensorName::dKx : TensorName::dK, dv = expands ? TensorName::dVx : TensorName::dV;
  const auto map = [&](TensorName name, Count matrices, Count rows, int box_rows) {
    return panel_map(problem.dtype, tensors[name], matrices, rows, S::head_dim, box_rows);
  };
  constexpr float log2_of_e = 1.4426950408889634F;
  return {.q = map(TensorName::Q, streams, problem.seq_q, S::rows),
          .k = map(TensorName::K, kv_streams, problem.seq_k, S::keys),
          .v = map(TensorName::V, kv_streams, problem.seq_k, S::keys),
          .d_o = map(TensorName::dO, streams, problem.seq_q, S::rows),
          .dk = map(dk, streams, problem.seq_k, S::own_keys),
          .dv = map(dv, streams, problem.seq_k, S::own_keys),
          .dq = panel_map(DType::fp32, tensors[TensorName::dQacc], streams * buffers, problem.seq_q, S::head_dim, 64,
                          S::panels),
          .lse = tensors.at<const float>(TensorName::LSE),
          .d = tensors.at<const float>(TensorName::D),
          .visible = visibility_of(problem, S::keys),
          .seq_q = static_cast<int>(problem.seq_q),
          .seq_k = static_cast<int>(problem.seq_k),
          .row_blocks = static_cast<int>(ceil_div(problem.seq_q, Count{S::rows})),
          .key_tiles = static_cast<int>(ceil_div(problem.seq_k, Count{S::keys})),
          .group = static_cast<int>(problem.group()),
          .blocks = static_cast<int>(flash2_backward_blocks_of_stream(point)),
          .buffers = static_cast<int>(buffers),
          .dk_name = dk,
          .dv_name = dv,
          .scale = gradient_scale(problem),
          .scale_log2 = gradient_scale(problem) * log2_of_e};
}

template <class S, class Recorder>
void launch_main(const Tensors& tensors, const Case& point, Stream stream, Recorder& recorder) {
  constexpr auto kernel = flash3_backward<S, typename Recorder::Counters>;
  constexpr int shared = static_cast<int>(Flash3BackwardLayout::shared(S::rows, S::head_dim));
  const Count blocks = point.problem.streams() * flash2_backward_blocks_of_stream(point);
  TILEMETER_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
  kernel<<<static_cast<unsigned>(blocks), S::threads, shared, stream>>>(arguments<S>(tensors, point),
                                                                        recorder.records(blocks));
  TILEMETER_CHECK(cudaGetLastError());
}

template <class Recorder>
void run(const Tensors& tensors, const Case& point, Stream stream, Recorder& recorder) {
  require_runnable(kernel_named("flash3_backward"), tensors, point);
  require_hopper("flash3_backward");
  launch_gradient_preprocess(tensors, point, stream, recorder);
  if (point.problem.seq_k > 0) {
    with_tiling<flash3_backward_tilings>(point, [&](auto index) {
      constexpr KernelTiling tiling = flash3_backward_tilings[index];
      constexpr int rows = static_cast<int>(tiling.block_q), head_dim = static_cast<int>(tiling.head_dim);
      with_half_type(point.problem.dtype, [&]<class T>(ElementType<T>) {
        launch_main<GradientShape<T, rows, head_dim>>(tensors, point, stream, recorder);
      });
    });
  }
  launch_gradient_postprocess(tensors, point, gradient_scale(point.problem), stream, recorder);
  launch_gradient_reduction(tensors, point, stream, recorder);
}

}  // namespace

void launch_flash3_backward(const Tensors& tensors, const Case& point, Stream stream) {
  NoRecording recording;
  run(tensors, point, stream, recording);
}

Work count_flash3_backward(const Tensors& tensors, const Case& point, Stream stream) {
  Recording recording;
  run(tensors, point, stream, recording);
  return recording.total(flash2_backward_operands(point), stream);
}

}  // namespace tilemeter::kernels
