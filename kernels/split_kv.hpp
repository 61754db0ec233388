// Decoding with the keys dealt to several thread blocks, and a combining kernel: the mirror of the simulator's
// `split_kv`.
#pragma once

#include <array>

#include "kernels/tensors.hpp"

namespace tilemeter::kernels {

inline constexpr std::array split_kv_packings = {Packing::packed, Packing::unpacked};

/// A tiling of split_kv. Shared memory is the Q tile and a ring of `stages` K and V tiles of 16-bit elements.
constexpr KernelTiling split_kv_tiling(Count block_q, Count block_k, Count head_dim, Count stages) {
  constexpr Count element = 2;
  return {.block_q = block_q,
          .block_k = block_k,
          .head_dim = head_dim,
          .head_dim_v = head_dim,
          .stages = stages,
          .threads = 128,
          .shared = Bytes((block_q + 2 * stages * block_k) * head_dim * element)};
}

/// The tilings that are compiled: two thread blocks share an SM, but for head dimension 256.
inline constexpr std::array split_kv_tilings = {split_kv_tiling(16, 64, 128, 3), split_kv_tiling(64, 64, 128, 3),
                                                split_kv_tiling(16, 128, 64, 3), split_kv_tiling(64, 64, 64, 3),
                                                split_kv_tiling(16, 64, 256, 3)};

/// The combining kernel keeps the LSE of this many splits of each of its rows in shared memory.
inline constexpr Count most_splits = 1024;

/// Thread blocks of the first kernel. Throws FigureOverflow.
Count split_kv_blocks(const Case& point);
/// Key tiles of a split.
Count split_kv_tiles(const Case& point);

/// As Kernel::launch and Kernel::count.
void launch_split_kv(const Tensors& tensors, const Case& point, Stream stream);
Work count_split_kv(const Tensors& tensors, const Case& point, Stream stream);

}  // namespace tilemeter::kernels
