// FlashAttention backward on Hopper's tensor cores: the fast mirror of the simulator's `flash2_backward`.
#pragma once

#include <array>

#include "kernels/tensors.hpp"

namespace tilemeter::kernels {

/// The fixed parts of the shared memory of the kernel that works on tiles, in bytes.
struct Flash3BackwardLayout {
  static constexpr Count keys = 128;
  static constexpr Count stages = 2;        ///< of Q, dO, LSE, D
  static constexpr Count buffers = 2;       ///< of dS
  static constexpr Count alignment = 1024;  ///< at most lost in front
  static constexpr Count barriers = (2 + 4 * stages + 2 * buffers) * 8;

  static constexpr Count operands(Count rows, Count head_dim) { return 2 * (keys + stages * rows) * head_dim * 2; }
  static constexpr Count scores(Count rows) { return buffers * rows * keys * 2; }
  static constexpr Count query_gradient(Count rows, Count head_dim) { return rows * head_dim * 4; }
  static constexpr Count statistics(Count rows) { return 2 * stages * rows * 4; }
  static constexpr Count shared(Count rows, Count head_dim) {
    return alignment + operands(rows, head_dim) + scores(rows) + query_gradient(rows, head_dim) + statistics(rows) +
           barriers;
  }
};

/// A tiling of flash3_backward: Q, dO, K, V tiles, and beside them the second stages, dS, dQ, LSE, D, barriers.
constexpr KernelTiling flash3_backward_tiling(Count block_q, Count head_dim) {
  using Layout = Flash3BackwardLayout;
  const Count shared = Layout::shared(block_q, head_dim);
  const Count tiles = 2 * (block_q + Layout::keys) * head_dim * size_of(DType::fp16);
  return {.block_q = block_q,
          .block_k = Layout::keys,
          .head_dim = head_dim,
          .head_dim_v = head_dim,
          .threads = 384,
          .shared = Bytes(shared),
          .padding = Bytes(shared - tiles),
          .architecture = Architecture::hopper};
}

/// The tilings that are compiled.
inline constexpr std::array flash3_backward_tilings = {
    flash3_backward_tiling(128, 64),
    flash3_backward_tiling(64, 128),
};

inline constexpr std::array flash3_backward_variants = {Variant::atomics};

/// As Kernel::repeats: sums of atomic adds by several blocks have no fixed order.
bool flash3_backward_repeats(const Case& point);

/// As Kernel::launch and Kernel::count. Throw std::runtime_error on a GPU that is not sm_90.
void launch_flash3_backward(const Tensors& tensors, const Case& point, Stream stream);
Work count_flash3_backward(const Tensors& tensors, const Case& point, Stream stream);

}  // namespace tilemeter::kernels
