// FlashAttention-2 forward on the tensor cores (mma.sync, sm_80 and later): the fast mirror of the simulator's
// `flash2`.
#pragma once

#include <array>
#include <cstddef>

#include "kernels/tensors.hpp"

namespace tilemeter::kernels {

/// Depth of flash2's ring of K/V tiles: one is computed with while the next is fetched.
inline constexpr int flash2_stages = 2;

/// What was found fastest for a tiling.
struct Flash2Choices {
  int resident;                  ///< blocks that must fit on an SM: they share its registers
  bool q_in_registers = false;   ///< Q is read from shared memory once, instead of for every K/V tile
  bool may_skip_rescale = true;  ///< O is left alone, by a branch, where no row of the warp changes its m
};

struct Flash2Build {
  KernelTiling tiling;
  Flash2Choices choices;
};

/// Shared memory is the Q tile, the stages of K and V tiles, and two barriers for each stage.
constexpr Flash2Build flash2_build(Count head_dim, Count block_q, Count block_k, Count warps, Flash2Choices choices) {
  constexpr Count stages = flash2_stages;
  const Count tiles = (block_q + 2 * stages * block_k) * head_dim * size_of(DType::fp16);
  const Count barriers = 2 * stages * 8;
  return {.tiling = {.block_q = block_q,
                     .block_k = block_k,
                     .head_dim = head_dim,
                     .head_dim_v = head_dim,
                     .stages = stages,
                     .threads = 32 * warps,
                     .shared = Bytes(tiles + barriers),
                     .padding = Bytes(barriers)},
          .choices = choices};
}

inline constexpr std::array flash2_builds = {
    flash2_build(64, 128, 128, 4, {.resident = 2, .may_skip_rescale = false}),
    flash2_build(64, 64, 64, 4, {.resident = 3, .q_in_registers = true}),
    flash2_build(96, 128, 64, 4, {.resident = 2, .may_skip_rescale = false}),
    flash2_build(128, 128, 64, 4, {.resident = 2}),
    flash2_build(128, 64, 64, 4, {.resident = 2, .q_in_registers = true}),
    flash2_build(192, 128, 64, 8, {.resident = 1, .may_skip_rescale = false}),
    flash2_build(256, 128, 64, 8, {.resident = 1}),
    flash2_build(256, 64, 32, 4, {.resident = 2}),
};

/// The tilings that are compiled, in the order of their builds. Those of more than 99 KiB of shared memory run on
/// data-centre GPUs only.
inline constexpr auto flash2_tilings = [] {
  std::array<KernelTiling, flash2_builds.size()> tilings;
  for (std::size_t i = 0; i < tilings.size(); ++i) tilings[i] = flash2_builds[i].tiling;
  return tilings;
}();

/// As Kernel::launch and Kernel::count.
void launch_flash2(const Tensors& tensors, const Case& point, Stream stream);
Work count_flash2(const Tensors& tensors, const Case& point, Stream stream);

}  // namespace tilemeter::kernels
