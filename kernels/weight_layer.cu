// weight_layer with weights in bf16, which the products read in shared memory as they arrive.
#include "kernels/dispatch.hpp"
#include "kernels/operands.hpp"
#include "kernels/present.hpp"
#include "kernels/recording.hpp"
#include "kernels/weight_launch.cuh"

namespace tilemeter::kernels {
namespace {

struct SharedProducts {
  /// sums += W X^T of this block's part of d_in.
  template <class S, class Counters>
  static __device__ void run(WeightSums<S>& sums, const WeightArguments&, const WeightMemory<S>& shared,
                             const WeightPlace& at, int consumer, Counters&) {
    RingPosition<S::stages> ring;
    for (int step = at.first_step; step < at.last_step; ++step) {
      shared.full(ring.stage).wait(ring.parity, "weight_layer: a full stage");
      multiply<S>(sums, shared, consumer, ring.stage);
      if (threadIdx.x % warpgroup_size == 0) shared.empty(ring.stage).arrive();
      ring.advance();
    }
  }

  template <class S>
  static __device__ void multiply(WeightSums<S>& sums, const WeightMemory<S>& shared, int consumer, int stage) {
#pragma unroll
    for (int block = 0; block < S::row_blocks; ++block) fence_accumulators(sums[block]);
#pragma unroll
    for (int k = 0; k < S::step; k += 16) {
      const int panel = k / S::x_panel;
      const Descriptor x = from_k<Major::k>(k_major(shared.x(stage) + panel * S::tokens * swizzle_row), k % S::x_panel);
#pragma unroll
      for (int block = 0; block < S::row_blocks; ++block) {
        const int row = (consumer * S::row_blocks + block) * 64;
        const Descriptor w = k_major(shared.w(stage) + (panel * S::features + row) * swizzle_row);
        multiply_add<__nv_bfloat16, S::tokens, Major::k, Major::k>(sums[block], from_k<Major::k>(w, k % S::w_panel), x,
                                                                   true);
      }
    }
    commit_products();
#pragma unroll
    for (int block = 0; block < S::row_blocks; ++block) wait_products<0>(sums[block]);
  }
};

/// A cluster of blocks computes a tile of Y, each a part of d_in.
template <class S, class Counters>
__global__ void __launch_bounds__(S::threads, 1)
    weight_layer(const __grid_constant__ WeightArguments a, typename Counters::Records records) {
  if constexpr (hopper) {
    extern __shared__ unsigned char memory[];
    Counters counters;
    compute_part<S, SharedProducts>(a, memory, counters);
    counters.flush(records);
  }
}

template <class Recorder>
void run(const Tensors& tensors, const Case& point, Stream stream, Recorder& recorder) {
  require_runnable(kernel_named("weight_layer"), tensors, point);
  require_hopper("weight_layer");
  with_tiling<weight_layer_tilings>(point, [&](auto index) {
    constexpr KernelTiling t = weight_layer_tilings[index];
    using S = WeightShape<__nv_bfloat16, t.threads / 128 - 1, t.block_m, t.block_n, t.block_k, t.stages>;
    launch_weights<S>(weight_layer<S, typename Recorder::Counters>, tensors, point, 1, stream, recorder);
  });
}

}  // namespace

void launch_weight_layer(const Tensors& tensors, const Case& point, Stream stream) {
  NoRecording recording;
  run(tensors, point, stream, recording);
}

Work count_weight_layer(const Tensors& tensors, const Case& point, Stream stream) {
  Recording recording;
  run(tensors, point, stream, recording);
  return recording.total(weight_layer_operands(point), stream);
}

}  // namespace tilemeter::kernels
