// What the kernels of `weight_layer` share, whatever the type of the weights: who computes what, the producer that
// keeps the ring full, and how the blocks of a cluster add up their parts of Y.
#pragma once

#include "kernels/weight_layer.hpp"
#include "kernels/wgmma.cuh"

namespace tilemeter::kernels {

/// Sizes of a thread block: a producer warpgroup, of which one thread issues the loads, and consumers, each with its
/// share of the features. The weights are the products' left operand, 64 features an instruction, and the tokens its
/// columns, so that few tokens waste little.
template <class WeightType, int Consumers, int Tokens, int Features, int Step, int Stages>
struct WeightShape {
  using Weight = WeightType;
  using Token = __nv_bfloat16;
  static constexpr int tokens = Tokens, features = Features, step = Step, stages = Stages;
  static constexpr int consumers = Consumers, threads = WeightLayout::threads(consumers);
  static constexpr int producer_registers = consumers == 2 ? 40 : 24, consumer_registers = consumers == 2 ? 232 : 112;
  static constexpr int row_blocks = features / 64 / consumers;  ///< of 64 features, of a consumer
  static constexpr int x_panel = swizzle_row / sizeof(Token), x_panels = step / x_panel;
  static constexpr int w_panel = swizzle_row / sizeof(Weight), w_panels = step / w_panel;
  static constexpr int x_bytes = tokens * step * sizeof(Token), w_bytes = features * step * sizeof(Weight);
  static constexpr int stage_bytes = x_bytes + w_bytes;
  static constexpr int sum_bytes = tokens * features * sizeof(float);
  static_assert(row_blocks * 64 * consumers == features && tokens % 8 == 0);
  static_assert(x_panels * x_panel == step && w_panels * w_panel == step);
  static_assert(sum_bytes + features * sizeof(float) <= stages * stage_bytes);
};

struct WeightArguments {
  CUtensorMap x;
  CUtensorMap w;
  __nv_bfloat16* y;
  const __half* scales;  ///< null without groups
  int tokens;
  int d_in;
  int d_out;
  int group;    ///< weights along d_in that share a scale; 0 where a row has one scale or none
  int groups;   ///< of a row, in memory
  float scale;  ///< of all weights
  int steps;    ///< of a block
  unsigned token_tiles;
  unsigned feature_tiles;
  unsigned splits;  ///< blocks of a cluster
};

/// What a block computes: its part along d_in of a tile of Y.
struct WeightPlace {
  int problem, token, feature;  ///< where the tile begins
  unsigned rank;
  int first_step, last_step;
};

/// Blocks of a cluster are neighbours, then come those of the same weights, which find them in the L2.
template <class S>
__device__ WeightPlace weight_place(const WeightArguments& a) {
  const unsigned tile = blockIdx.x / a.splits, rank = blockIdx.x % a.splits;
  const unsigned token_tile = tile % a.token_tiles, rest = tile / a.token_tiles;
  const int all_steps = (a.d_in + S::step - 1) / S::step;
  const int first = min(static_cast<int>(rank) * a.steps, all_steps);
  return {.problem = static_cast<int>(rest / a.feature_tiles),
          .token = static_cast<int>(token_tile) * S::tokens,
          .feature = static_cast<int>(rest % a.feature_tiles) * S::features,
          .rank = rank,
          .first_step = first,
          .last_step = min(first + a.steps, all_steps)};
}

/// Shared memory: stages of a W and an X tile, and a pair of barriers a stage. The sums lie over the stages when these
/// have been read.
template <class S>
struct WeightMemory {
  std::uint32_t base;

  __device__ explicit WeightMemory(const void* memory)
      : base((shared_address(memory) + swizzle_atom - 1) / swizzle_atom * swizzle_atom) {}
  __device__ std::uint32_t w(int stage) const { return base + stage * S::stage_bytes; }
  __device__ std::uint32_t x(int stage) const { return w(stage) + S::w_bytes; }
  /// Ends a phase when the stage has been loaded.
  __device__ Barrier full(int stage) const { return {w(S::stages) + stage * 16}; }
  /// Ends a phase when all consumers have read the stage.
  __device__ Barrier empty(int stage) const { return {full(stage).address + 8}; }
  /// The sum of a token and a feature. Neighbouring tokens' features are permuted, for the sake of the banks.
  __device__ std::uint32_t sum(int token, int feature) const {
    return base + (token * S::features + (feature ^ (token / 2 % 4 * 8))) * sizeof(float);
  }
  /// The scale of a feature.
  __device__ std::uint32_t scale(int feature) const { return base + S::sum_bytes + feature * sizeof(float); }
};

/// Keeps the stages full. One thread.
template <class S, class Counters>
__device__ void produce(const WeightArguments& a, const WeightMemory<S>& shared, const WeightPlace& at,
                        Counters& counters) {
  RingPosition<S::stages> ring;
  prefetch(a.w);
  prefetch(a.x);
  const int features = min(S::features, a.d_out - at.feature), tokens = min(S::tokens, a.tokens - at.token);
  for (int step = at.first_step; step < at.last_step; ++step) {
    const int depth = step * S::step, weights = min(S::step, a.d_in - depth);
    const Barrier full = shared.full(ring.stage);
    shared.empty(ring.stage).wait(ring.parity ^ 1, "weight_layer: an empty stage");
    full.arrive_expecting(S::stage_bytes);
#pragma unroll
    for (int i = 0; i < S::w_panels; ++i) {
      load_box(shared.w(ring.stage) + i * S::features * swizzle_row, a.w,
               {depth + i * S::w_panel, at.feature, at.problem}, full);
    }
    counters.read(TensorName::W, features * weights);
#pragma unroll
    for (int i = 0; i < S::x_panels; ++i) {
      load_box(shared.x(ring.stage) + i * S::tokens * swizzle_row, a.x, {depth + i * S::x_panel, at.token, at.problem},
               full);
    }
    counters.read(TensorName::X, tokens * weights);
    counters.tile();
    ring.advance();
  }
}

/// A thread's part of Y transposed, 64 features a row block, as wgmma leaves it.
template <class S>
using WeightSums = float[S::row_blocks][S::tokens / 2];

template <class S>
__device__ void clear(WeightSums<S>& sums) {
#pragma unroll
  for (int block = 0; block < S::row_blocks; ++block) {
#pragma unroll
    for (float& sum : sums[block]) sum = 0;
  }
}

/// Puts the sums where all blocks of the cluster find them, once no consumer reads the stages any more.
template <class S>
__device__ void deposit(const WeightSums<S>& sums, const WeightMemory<S>& shared, int consumer) {
  const int lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size % 4;
  named_barrier(1, S::consumers * warpgroup_size);
#pragma unroll
  for (int block = 0; block < S::row_blocks; ++block) {
    const int feature = (consumer * S::row_blocks + block) * 64 + 16 * warp + lane / 4;
#pragma unroll
    for (int i = 0; i < S::tokens / 2; ++i) {
      const int token = i / 4 * 8 + 2 * (lane % 4) + i % 2;
      store_float(shared.sum(token, feature + (i % 4 < 2 ? 0 : 8)), sums[block][i]);
    }
  }
}

/// Loads the scales of the features that this block will store, where each has one. The consumers call it.
template <class S, class Counters>
__device__ void load_scales(const WeightArguments& a, const WeightMemory<S>& shared, const WeightPlace& at,
                            Counters& counters) {
  if (a.scales == nullptr || a.group > 0) return;
  const int own = S::features / a.splits, begin = at.rank * own;
  for (int i = threadIdx.x - warpgroup_size; i < own; i += S::consumers * warpgroup_size) {
    const int row = at.feature + begin + i;
    if (row >= a.d_out) break;
    const std::size_t index = std::size_t(at.problem) * a.d_out + row;
    store_float(shared.scale(begin + i), __half2float(a.scales[index]));
    counters.read(TensorName::scales, 1);
  }
}

/// Eight neighbouring sums of a token, over the blocks of the cluster in order.
template <class S>
__device__ void gather(float (&values)[8], const WeightArguments& a, const WeightMemory<S>& shared, int token,
                       int feature) {
#pragma unroll
  for (float& value : values) value = 0;
  for (unsigned rank = 0; rank < a.splits; ++rank) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const float4 part = load_remote(shared.sum(token, feature) + half * 16, rank);
      values[4 * half] += part.x;
      values[4 * half + 1] += part.y;
      values[4 * half + 2] += part.z;
      values[4 * half + 3] += part.w;
    }
  }
}

/// Adds up this block's share of the features of a tile of Y and stores it. The consumers call it.
template <class S, class Counters>
__device__ void store(const WeightArguments& a, const WeightMemory<S>& shared, const WeightPlace& at,
                      Counters& counters) {
  const int tokens = min(S::tokens, a.tokens - at.token), chunks = S::features / a.splits / chunk_elements;
  const bool scaled = a.scales != nullptr && a.group == 0;
  for (int i = threadIdx.x - warpgroup_size; i < tokens * chunks; i += S::consumers * warpgroup_size) {
    const int token = i / chunks, feature = (at.rank * chunks + i % chunks) * chunk_elements;
    if (at.feature + feature >= a.d_out) continue;
    float values[chunk_elements];
    gather<S>(values, a, shared, token, feature);
#pragma unroll
    for (int j = 0; j < chunk_elements; ++j) {
      values[j] *= scaled ? load_float(shared.scale(feature + j)) : a.scale;
    }
    const uint4 chunk = {packed<__nv_bfloat16>(values[0], values[1]), packed<__nv_bfloat16>(values[2], values[3]),
                         packed<__nv_bfloat16>(values[4], values[5]), packed<__nv_bfloat16>(values[6], values[7])};
    const std::size_t row = std::size_t(at.problem) * a.tokens + at.token + token;
    write_chunk(a.y + row * a.d_out + at.feature + feature, chunk);
    counters.write(TensorName::Y, chunk_elements);
  }
}

/// A block's work. `Products::run(sums, a, shared, at, consumer, counters)` adds up a consumer's rows.
template <class S, class Products, class Counters>
__device__ void compute_part(const WeightArguments& a, const void* memory, Counters& counters) {
  const WeightMemory<S> shared(memory);
  const WeightPlace at = weight_place<S>(a);
  init_stages<S::stages, S::consumers>(shared);
  const int warpgroup = __shfl_sync(~0u, threadIdx.x / warpgroup_size, 0);
  if (warpgroup == 0) {
    shrink_registers<S::producer_registers>();
    if (threadIdx.x == 0) produce(a, shared, at, counters);
    cluster_barrier();
  } else {
    grow_registers<S::consumer_registers>();
    WeightSums<S> sums;
    clear<S>(sums);
    Products::template run<S>(sums, a, shared, at, warpgroup - 1, counters);
    deposit<S>(sums, shared, warpgroup - 1);
    load_scales(a, shared, at, counters);
    cluster_barrier();
    store(a, shared, at, counters);
  }
  cluster_barrier();  // no block ends while another one reads its sums
}

}  // namespace tilemeter::kernels
