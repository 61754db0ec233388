// FlashAttention-2 backward on the tensor cores (mma.sync, sm_80 and later): the mirror of the simulator's
// `flash2_backward`.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "kernels/gradient_warps.hpp"
#include "kernels/tensors.hpp"

namespace tilemeter::kernels {

struct Flash2BackwardBuild {
  KernelTiling tiling;
  GradientWarps warps;
};

/// Stages of Q and dO, of which one is computed with while the next is fetched, and of P and dS, so that a warp may
/// write them while others still read the last ones.
inline constexpr int flash2_backward_stages = 2, flash2_backward_score_stages = 2;

/// Shared memory is K, V, the stages of Q, dO, LSE and D with a barrier each, and those of P and dS.
constexpr Flash2BackwardBuild flash2_backward_build(Count head_dim, Count block_q, Count block_k, GradientWarps warps) {
  constexpr Count stages = flash2_backward_stages, barrier = 8;
  const Count half = size_of(DType::fp16), single = size_of(DType::fp32);
  const Count query = 2 * block_q * head_dim * half, statistics = 2 * block_q * single;
  const Count scores = flash2_backward_score_stages * 2 * block_q * block_k * half;
  const Count tiles = query + 2 * block_k * head_dim * half;
  const Count padding = (stages - 1) * query + stages * (statistics + barrier) + scores;
  return {.tiling = {.block_q = block_q,
                     .block_k = block_k,
                     .head_dim = head_dim,
                     .head_dim_v = head_dim,
                     .threads = 256,
                     .shared = Bytes(tiles + padding),
                     .padding = Bytes(padding)},
          .warps = warps};
}

inline constexpr std::array flash2_backward_builds = {
    flash2_backward_build(64, 128, 128, {.scores = 4, .key_gradients = 4, .query_gradient = 4}),
    flash2_backward_build(128, 64, 128, {.scores = 2, .key_gradients = 4, .query_gradient = 2}),
    flash2_backward_build(256, 64, 64, {.scores = 4, .key_gradients = 2, .query_gradient = 2}),
};

/// The tilings that are compiled, in the order of their builds; for data-centre GPUs.
inline constexpr auto flash2_backward_tilings = [] {
  std::array<KernelTiling, flash2_backward_builds.size()> tilings;
  for (std::size_t i = 0; i < tilings.size(); ++i) tilings[i] = flash2_backward_builds[i].tiling;
  return tilings;
}();

inline constexpr std::array flash2_backward_kernel_variants = {Variant::atomics, Variant::two_kernels};
/// The head dimension that the second is compiled for.
inline constexpr Count flash2_backward_two_kernels_head_dim = 128;

/// As Kernel::refusal: head dimensions of the second variant, the sizes of the grids.
std::optional<std::string> refusal_of_flash2_backward(const Case& point);

/// As Kernel::repeats: sums of atomic adds by several blocks have no fixed order.
bool flash2_backward_repeats(const Case& point);

/// Thread blocks that share the key tiles of a stream: one a tile, or one a buffer of dQacc.
Count flash2_backward_blocks_of_stream(const Case& point);

/// As Kernel::launch and Kernel::count.
void launch_flash2_backward(const Tensors& tensors, const Case& point, Stream stream);
Work count_flash2_backward(const Tensors& tensors, const Case& point, Stream stream);

}  // namespace tilemeter::kernels
