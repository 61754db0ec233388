// FlashAttention-1 forward on the tensor cores: the mirror of the simulator's `flash1`.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "kernels/tensors.hpp"

namespace tilemeter::kernels {

/// A tiling of flash1. Shared memory is K, V and Q, and O beside them, where the next row block's arrives: in fp32, or
/// in 16 bits with as much again for what leaves.
constexpr KernelTiling flash1_tiling(Count block_q, Count block_k, Count head_dim) {
  const Count padding = block_q * head_dim * size_of(DType::fp32);
  return {.block_q = block_q,
          .block_k = block_k,
          .head_dim = head_dim,
          .head_dim_v = head_dim,
          .threads = block_q * 2,
          .shared = Bytes((block_q + 2 * block_k) * head_dim * size_of(DType::fp16) + padding),
          .padding = Bytes(padding)};
}

/// The tilings that are compiled.
inline constexpr std::array flash1_tilings = {
    flash1_tiling(64, 64, 64),   flash1_tiling(64, 128, 64), flash1_tiling(64, 64, 128),
    flash1_tiling(64, 128, 128), flash1_tiling(64, 64, 256),
};

/// As Kernel::refusal: types of O that go with the operands', options, the size of the grid.
std::optional<std::string> refusal_of_flash1(const Case& point);

/// Thread blocks of a launch: row splits of every stream. Throws FigureOverflow.
Count flash1_blocks(const Case& point);

/// As Kernel::prepare, Kernel::launch and Kernel::count. Prepared are O = 0, l = 0, m = -infinity.
void prepare_flash1(const Tensors& tensors, const Case& point, Stream stream);
void launch_flash1(const Tensors& tensors, const Case& point, Stream stream);
Work count_flash1(const Tensors& tensors, const Case& point, Stream stream);

}  // namespace tilemeter::kernels
