// FlashAttention-2 forward on the tensor cores (mma.sync, sm_80 and later): the fast mirror of the simulator's
// `flash2`.
#pragma once

#include <array>
#include <cstddef>

#include "kernels/tensors.hpp"

namespace tilemeter::kernels {

/// How the kernel is compiled for a tiling.
struct Flash2Build {
  KernelTiling tiling;
  bool q_in_registers;  ///< Q is read from shared memory once, instead of for every K/V tile
  int resident;         ///< blocks that fit on an SM at least: 65536 registers are shared among them
};

/// Shared memory is the Q tile and `stages` K and V tiles of 16-bit elements, without padding.
constexpr Flash2Build flash2_build(Count head_dim, Count block_q, Count block_k, Count warps, Count stages,
                                   bool q_in_registers, int resident) {
  return {.tiling = {.block_q = block_q,
                     .block_k = block_k,
                     .head_dim = head_dim,
                     .head_dim_v = head_dim,
                     .stages = stages,
                     .threads = 32 * warps,
                     .shared = Bytes((block_q + 2 * stages * block_k) * head_dim * size_of(DType::fp16))},
          .q_in_registers = q_in_registers,
          .resident = resident};
}

inline constexpr std::array flash2_builds = {
    flash2_build(64, 128, 64, 4, 1, false, 2), flash2_build(64, 64, 128, 4, 1, true, 2),
    flash2_build(96, 128, 64, 4, 1, false, 2), flash2_build(128, 128, 64, 4, 1, false, 2),
    flash2_build(128, 64, 64, 4, 1, false, 3), flash2_build(192, 64, 64, 4, 1, false, 2),
    flash2_build(256, 64, 64, 4, 1, false, 2),
};

/// The tilings that are compiled, in the order of their builds.
inline constexpr auto flash2_tilings = [] {
  std::array<KernelTiling, flash2_builds.size()> tilings;
  for (std::size_t i = 0; i < tilings.size(); ++i) tilings[i] = flash2_builds[i].tiling;
  return tilings;
}();

/// As Kernel::launch and Kernel::count.
void launch_flash2(const Tensors& tensors, const Case& point, Stream stream);
Work count_flash2(const Tensors& tensors, const Case& point, Stream stream);

}  // namespace tilemeter::kernels
