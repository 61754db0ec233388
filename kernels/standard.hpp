// Standard attention in three kernels on the tensor cores: the mirror of the simulator's `standard_tiled`.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "kernels/tensors.hpp"

namespace tilemeter::kernels {

/// The fixed parts of standard's GEMMs.
struct StandardLayout {
  static constexpr int piece = 64;  ///< terms of the sums that a stage of the ring holds
  static constexpr int stages = 3;  ///< of P V
};

/// A tiling of standard. Shared memory is that of O = P V, whose ring stands in place of the P and V tiles.
constexpr KernelTiling standard_tiling(Count block_q, Count block_k, Count block_d, Count head_dim, Count threads) {
  const Count ring = StandardLayout::stages * StandardLayout::piece * (block_q + block_d) * size_of(DType::fp16);
  const Count tiles = block_k * (block_q + block_d) * size_of(DType::fp16);
  return {.block_q = block_q,
          .block_k = block_k,
          .block_d = block_d,
          .head_dim = head_dim,
          .head_dim_v = head_dim,
          .threads = threads,
          .shared = Bytes(ring),
          .padding = Bytes(ring - tiles)};
}

/// The tilings that are compiled.
inline constexpr std::array standard_tilings = {
    standard_tiling(128, 128, 64, 64, 128),
    standard_tiling(128, 128, 128, 128, 256),
    standard_tiling(128, 128, 64, 128, 128),
    standard_tiling(128, 128, 128, 256, 256),
};

/// Keys of the longest row that the resident softmax takes.
inline constexpr Count standard_resident_keys = 32768;

/// As Kernel::refusal: types of S and P, rows that stay on chip, the sizes of the grids.
std::optional<std::string> refusal_of_standard(const Case& point);

/// Thread blocks of Q K^T, rows of the softmax, thread blocks of P V. Throw FigureOverflow.
Count standard_score_blocks(const Case& point);
Count standard_rows(const Case& point);
Count standard_output_blocks(const Case& point);

/// As Kernel::launch and Kernel::count.
void launch_standard(const Tensors& tensors, const Case& point, Stream stream);
Work count_standard(const Tensors& tensors, const Case& point, Stream stream);

}  // namespace tilemeter::kernels
