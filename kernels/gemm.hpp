// A matrix product on Hopper's tensor cores: the mirror of the simulator's `gemm` with C stationary.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "kernels/tensors.hpp"

namespace tilemeter::kernels {

/// The fixed parts of gemm's shared memory, in bytes.
struct GemmLayout {
  static constexpr Count element = 2;
  static constexpr Count panel = 64;                          ///< columns of B and C that stand side by side
  static constexpr Count store_panels = 2;                    ///< panels of C on their way out, of a consumer
  static constexpr Count panel_bytes = 64 * panel * element;  ///< 64 rows of a panel
  static constexpr Count alignment = 1024;                    ///< at most lost in front
  static constexpr Count barrier = 8;

  static constexpr Count consumers(Count block_m) { return block_m / 64; }
  static constexpr Count threads(Count block_m) { return 128 * (1 + consumers(block_m)); }
  /// A and B of one step.
  static constexpr Count stage(Count block_m, Count block_n, Count block_k) {
    return (block_m + block_n) * block_k * element;
  }
  static constexpr Count shared(Count block_m, Count block_n, Count block_k, Count stages) {
    return alignment + stages * (stage(block_m, block_n, block_k) + 2 * barrier) +
           consumers(block_m) * store_panels * panel_bytes;
  }
};

/// A tiling of gemm. The algorithm's block declares the stages of A and B; C on its way out, barriers and alignment are
/// padding.
constexpr KernelTiling gemm_tiling(Count block_m, Count block_n, Count block_k, Count stages) {
  const Count shared = GemmLayout::shared(block_m, block_n, block_k, stages);
  return {.block_k = block_k,
          .block_m = block_m,
          .block_n = block_n,
          .stages = stages,
          .threads = GemmLayout::threads(block_m),
          .shared = Bytes(shared),
          .padding = Bytes(shared - stages * GemmLayout::stage(block_m, block_n, block_k)),
          .architecture = Architecture::hopper};
}

/// The tilings that are compiled: a large one for speed, and a smaller for small problems.
inline constexpr std::array gemm_tilings = {gemm_tiling(128, 256, 64, 4), gemm_tiling(128, 128, 64, 4)};

/// Why the kernel cannot run sizes that its tilings allow: rows of A, B and C must be multiples of 16 bytes for the
/// tensor copies, coordinates and tiles fit in 32 bits, and C stays on chip.
std::optional<std::string> refusal_of_gemm(const Case& point);

/// As Kernel::launch and Kernel::count. Throw std::runtime_error on a GPU that is not sm_90.
void launch_gemm(const Tensors& tensors, const Case& point, Stream stream);
Work count_gemm(const Tensors& tensors, const Case& point, Stream stream);

}  // namespace tilemeter::kernels
