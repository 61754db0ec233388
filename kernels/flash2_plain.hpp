// FlashAttention-2 forward in fp32 without tensor cores: the plain mirror of the simulator's `flash2`.
#pragma once

#include <array>

#include "kernels/tensors.hpp"

namespace tilemeter::kernels {

/// The fixed parts of flash2_plain's thread layout.
struct Flash2PlainLayout {
  static constexpr int lanes = 8;  ///< neighbouring threads that share a row
  static constexpr int rows = 4;   ///< rows of one thread
};

/// A tiling of flash2_plain. Shared memory is the Q, the K and the V tile, without padding.
constexpr KernelTiling flash2_plain_tiling(Count block_q, Count block_k, Count head_dim) {
  return {.block_q = block_q,
          .block_k = block_k,
          .head_dim = head_dim,
          .head_dim_v = head_dim,
          .threads = block_q / Flash2PlainLayout::rows * Flash2PlainLayout::lanes,
          .shared = Bytes((block_q + 2 * block_k) * head_dim * size_of(DType::fp32))};
}

/// The tilings that are compiled.
inline constexpr std::array flash2_plain_tilings = {
    flash2_plain_tiling(32, 32, 32), flash2_plain_tiling(32, 32, 64),  flash2_plain_tiling(32, 32, 128),
    flash2_plain_tiling(64, 32, 64), flash2_plain_tiling(32, 64, 64),  flash2_plain_tiling(64, 64, 32),
    flash2_plain_tiling(64, 64, 64), flash2_plain_tiling(64, 64, 128),
};

/// As Kernel::launch and Kernel::count.
void launch_flash2_plain(const Tensors& tensors, const Case& point, Stream stream);
Work count_flash2_plain(const Tensors& tensors, const Case& point, Stream stream);

}  // namespace tilemeter::kernels
