// Standard attention with its products on Hopper's tensor cores: a faster mirror of `standard_tiled`.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "kernels/tensors.hpp"

namespace tilemeter::kernels {

/// The fixed parts of the products' shared memory, in bytes.
struct StandardHopperLayout {
  static constexpr Count row = 128;         ///< of 64 elements: a swizzled row
  static constexpr Count panel = 64 * row;  ///< 64 rows, 64 columns
  static constexpr Count store_panels = 2;  ///< on their way out, of a consumer
  static constexpr Count alignment = 1024;  ///< at most lost in front
  static constexpr Count barriers = 16;     ///< of a stage
  static constexpr Count capacity = 227 * 1024;

  static constexpr Count consumers(Count rows) { return rows / 64; }
  static constexpr Count threads(Count rows) { return 128 * (1 + consumers(rows)); }
  /// Both operands of 64 terms of the sums.
  static constexpr Count stage(Count rows, Count columns) { return (rows + columns) * row; }
  static constexpr Count stages(Count rows, Count columns) {
    return (capacity - alignment - outgoing(rows)) / (stage(rows, columns) + barriers);
  }
  static constexpr Count outgoing(Count rows) { return consumers(rows) * store_panels * panel; }
  static constexpr Count shared(Count rows, Count columns) {
    return alignment + stages(rows, columns) * (stage(rows, columns) + barriers) + outgoing(rows);
  }
};

/// A tiling of standard_hopper. Shared memory is that of O = P V: a ring as deep as there is room for, in place of the
/// P and V tiles.
constexpr KernelTiling standard_hopper_tiling(Count block_q, Count block_k, Count head_dim) {
  using Layout = StandardHopperLayout;
  const Count shared = Layout::shared(block_q, head_dim);
  return {.block_q = block_q,
          .block_k = block_k,
          .block_d = head_dim,
          .head_dim = head_dim,
          .head_dim_v = head_dim,
          .threads = Layout::threads(block_q),
          .shared = Bytes(shared),
          .padding = Bytes(shared - block_k * (block_q + head_dim) * size_of(DType::fp16)),
          .architecture = Architecture::hopper};
}

/// The tilings that are compiled.
inline constexpr std::array standard_hopper_tilings = {
    standard_hopper_tiling(256, 128, 128),
    standard_hopper_tiling(128, 256, 128),
    standard_hopper_tiling(128, 256, 64),
    standard_hopper_tiling(128, 256, 256),
};

/// As Kernel::refusal: what `standard` refuses, and rows of S and P that are not multiples of 16 bytes.
std::optional<std::string> refusal_of_standard_hopper(const Case& point);

/// As Kernel::launch and Kernel::count. Throw std::runtime_error on a GPU that is not sm_90.
void launch_standard_hopper(const Tensors& tensors, const Case& point, Stream stream);
Work count_standard_hopper(const Tensors& tensors, const Case& point, Stream stream);

}  // namespace tilemeter::kernels
