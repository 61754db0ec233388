// weight_layer with weights in int8, which pass through registers on their way to the products.
#include "kernels/dequantise.cuh"
#include "kernels/dispatch.hpp"
#include "kernels/operands.hpp"
#include "kernels/present.hpp"
#include "kernels/recording.hpp"
#include "kernels/weight_launch.cuh"
#include "model/closed_form/weight_layer.hpp"

namespace tilemeter::kernels {
namespace {

/// The scales of this thread's rows in the group under way; those of the next group are on their way.
template <class S>
class GroupScales {
 public:
  template <class Counters>
  __device__ GroupScales(const WeightArguments& a, const WeightPlace& at, int consumer, Counters& counters)
      : group_size_(a.group), groups_(a.groups), next_(at.first_step * S::step) {
    if (group_size_ == 0) return;
    const int lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size % 4;
    const int feature = at.feature + consumer * S::row_blocks * 64 + 16 * warp + lane / 4;
    rows_ = max(0, a.d_out - feature);
    end_ = min(at.last_step * S::step, a.d_in);
    from_ = a.scales + (std::size_t(at.problem) * a.d_out + feature) * groups_ + next_ / group_size_;
    fetch(counters);
  }

  /// Goes on to the group that begins at `depth` of d_in, if one does.
  template <class Counters>
  __device__ void reach(int depth, Counters& counters) {
    if (depth != next_ || depth >= end_) return;
#pragma unroll
    for (int i = 0; i < rows; ++i) scales_[i] = TwoPartScale(__half2float(fetched_[i]));
    next_ += group_size_;
    ++from_;
    fetch(counters);
  }
  /// Of row l / 4, or of that eight rows further on, of a block of 64 rows.
  __device__ const TwoPartScale& at(int block, int lower) const { return scales_[2 * block + lower]; }

 private:
  static constexpr int rows = 2 * S::row_blocks;

  template <class Counters>
  __device__ void fetch(Counters& counters) {
    if (next_ >= end_) return;
#pragma unroll
    for (int i = 0; i < rows; ++i) {
      const int below = i / 2 * 64 + i % 2 * 8;
      if (below >= rows_) continue;
      fetched_[i] = from_[std::size_t(below) * groups_];
      if (threadIdx.x % 4 == 0) {
        counters.read(TensorName::scales, 1);
      }
    }
  }

  int group_size_, groups_;
  int next_;  ///< where the next group begins
  int rows_ = 0, end_ = 0;
  const __half* from_ = nullptr;
  __half fetched_[rows] = {};
  TwoPartScale scales_[rows];
};

struct RegisterProducts {
  /// sums += W X^T of this block's part of d_in.
  template <class S, class Counters>
  static __device__ void run(WeightSums<S>& sums, const WeightArguments& a, const WeightMemory<S>& shared,
                             const WeightPlace& at, int consumer, Counters& counters) {
    RingPosition<S::stages> ring;
    GroupScales<S> scales(a, at, consumer, counters);
    const std::uint32_t offset = offset_of_thread<S>(consumer);
    for (int step = at.first_step; step < at.last_step; ++step) {
      shared.full(ring.stage).wait(ring.parity, "weight_layer: a full stage");
#pragma unroll 1  // registers hold the weights of a panel of X
      for (int panel = 0; panel < S::x_panels; ++panel) {
        Operand<S> w;
        if (a.group > 0) {
          load_scaled<S>(w, shared.w(ring.stage) + offset, panel, step * S::step, scales, counters);
        } else {
          load_exact<S>(w, shared.w(ring.stage) + offset, panel);
        }
        multiply<S>(sums, w, shared.x(ring.stage) + panel * S::tokens * swizzle_row);
      }
      if (threadIdx.x % warpgroup_size == 0) shared.empty(ring.stage).arrive();
      ring.advance();
    }
  }

 private:
  /// Of an instruction, along d_in.
  static constexpr int depth = 16;
  /// A consumer's rows of a panel's depth.
  template <class S>
  using Operand = Fragment[S::row_blocks][S::x_panel / depth];

  /// Where this thread's weights begin in a tile.
  template <class S>
  static __device__ std::uint32_t offset_of_thread(int consumer) {
    const int warp = threadIdx.x / warp_size % 4;
    return (consumer * S::row_blocks * 64 + 16 * warp) * swizzle_row + Int8Fragment::offset_of_lane();
  }

  template <class S>
  static __device__ void load_exact(Operand<S>& w, std::uint32_t lane, int panel) {
#pragma unroll
    for (int k = 0; k < S::x_panel / depth; ++k) {
#pragma unroll
      for (int block = 0; block < S::row_blocks; ++block) {
        const Int8Fragment weights(lane + block * 64 * swizzle_row, panel * S::x_panel / depth + k);
#pragma unroll
        for (int i = 0; i < 4; ++i) w[block][k][i] = exact_pair(weights.pairs[i]);
      }
    }
  }

  template <class S, class Counters>
  static __device__ void load_scaled(Operand<S>& w, std::uint32_t lane, int panel, int begin, GroupScales<S>& scales,
                                     Counters& counters) {
#pragma unroll
    for (int k = 0; k < S::x_panel / depth; ++k) {
      const int chunk = panel * S::x_panel / depth + k;
      scales.reach(begin + chunk * depth, counters);
#pragma unroll
      for (int block = 0; block < S::row_blocks; ++block) {
        const Int8Fragment weights(lane + block * 64 * swizzle_row, chunk);
#pragma unroll
        for (int i = 0; i < 4; ++i) w[block][k][i] = scales.at(block, i % 2).times(exact_pair(weights.pairs[i]));
      }
    }
  }

  template <class S>
  static __device__ void multiply(WeightSums<S>& sums, const Operand<S>& w, std::uint32_t panel) {
#pragma unroll
    for (int block = 0; block < S::row_blocks; ++block) fence_accumulators(sums[block]);
#pragma unroll
    for (int k = 0; k < S::x_panel / depth; ++k) {
      const Descriptor x = from_k<Major::k>(k_major(panel), k * depth);
#pragma unroll
      for (int block = 0; block < S::row_blocks; ++block) {
        multiply_add<__nv_bfloat16, S::tokens, Major::k>(sums[block], w[block][k], x, true);
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
    weight_layer_int8(const __grid_constant__ WeightArguments a, typename Counters::Records records) {
  if constexpr (hopper) {
    extern __shared__ unsigned char memory[];
    Counters counters;
    compute_part<S, RegisterProducts>(a, memory, counters);
    counters.flush(records);
  }
}

template <class Recorder>
void run(const Tensors& tensors, const Case& point, Stream stream, Recorder& recorder) {
  require_runnable(kernel_named("weight_layer_int8"), tensors, point);
  require_hopper("weight_layer_int8");
  with_tiling<weight_layer_int8_tilings>(point, [&](auto index) {
    constexpr KernelTiling t = weight_layer_int8_tilings[index];
    using S = WeightShape<signed char, t.threads / 128 - 1, t.block_m, t.block_n, t.block_k, t.stages>;
    launch_weights<S>(weight_layer_int8<S, typename Recorder::Counters>, tensors, point,
                      whole_scale(point.options.weight_type), stream, recorder);
  });
}

}  // namespace

void launch_weight_layer_int8(const Tensors& tensors, const Case& point, Stream stream) {
  NoRecording recording;
  run(tensors, point, stream, recording);
}

Work count_weight_layer_int8(const Tensors& tensors, const Case& point, Stream stream) {
  Recording recording;
  run(tensors, point, stream, recording);
  return recording.total(weight_layer_operands(point), stream);
}

}  // namespace tilemeter::kernels
