// FlashAttention-1 backward on the tensor cores (mma.sync, sm_80 and later): the mirror of the simulator's
// `flash1_backward`.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "kernels/gradient_warps.hpp"
#include "kernels/tensors.hpp"

namespace tilemeter::kernels {

struct Flash1BackwardBuild {
  KernelTiling tiling;
  GradientWarps warps;
};

/// Stages of Q, O and dO: one is computed with while the next is fetched.
inline constexpr int flash1_backward_stages = 2;

/// Shared memory is K, V, the stages of Q, O, dO, l and m with a barrier each, D, and P and dS on their way between
/// warps.
constexpr Flash1BackwardBuild flash1_backward_build(Count head_dim, Count block_q, Count block_k, GradientWarps warps) {
  constexpr Count stages = flash1_backward_stages, barrier = 8;
  const Count half = size_of(DType::fp16), column = block_q * size_of(DType::fp32);
  const Count query = 3 * block_q * head_dim * half;
  const Count tiles = query + 2 * block_k * head_dim * half;
  const Count padding = (stages - 1) * query + stages * (2 * column + barrier) + column + 2 * block_q * block_k * half;
  return {.tiling = {.block_q = block_q,
                     .block_k = block_k,
                     .head_dim = head_dim,
                     .head_dim_v = head_dim,
                     .threads = GradientWarps::all * 32,
                     .shared = Bytes(tiles + padding),
                     .padding = Bytes(padding)},
          .warps = warps};
}

inline constexpr std::array flash1_backward_builds = {
    flash1_backward_build(64, 128, 128, {.scores = 4, .key_gradients = 4, .query_gradient = 4}),
    flash1_backward_build(128, 64, 128, {.scores = 2, .key_gradients = 4, .query_gradient = 2}),
};

/// The tilings that are compiled, in the order of their builds; for data-centre GPUs.
inline constexpr auto flash1_backward_tilings = [] {
  std::array<KernelTiling, flash1_backward_builds.size()> tilings;
  for (std::size_t i = 0; i < tilings.size(); ++i) tilings[i] = flash1_backward_builds[i].tiling;
  return tilings;
}();

/// As Kernel::refusal: types of dQ that go with the operands', options, the size of the grid.
std::optional<std::string> refusal_of_flash1_backward(const Case& point);

/// As Kernel::prepare, Kernel::launch and Kernel::count. Prepared is dQ = 0.
void prepare_flash1_backward(const Tensors& tensors, const Case& point, Stream stream);
void launch_flash1_backward(const Tensors& tensors, const Case& point, Stream stream);
Work count_flash1_backward(const Tensors& tensors, const Case& point, Stream stream);

}  // namespace tilemeter::kernels
