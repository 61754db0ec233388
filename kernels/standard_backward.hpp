// The backward pass of standard attention on the tensor cores (mma.sync, sm_80 and later): the mirror of the
// simulator's `standard_backward`, whose bill reads every operand of a product once.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "kernels/tensors.hpp"

namespace tilemeter::kernels {

/// The fixed parts of standard_backward. A thread block takes a stream; one operand of its product stays on chip as a
/// whole, which limits the length.
struct StandardBackwardLayout {
  static constexpr int tile = 64;   ///< rows and keys
  static constexpr int stages = 4;  ///< of weights on their way
  static constexpr int chunks = 6;  ///< of a row of P and dP in a thread of a warp
  static constexpr Count resident_bytes = 176 * 1024;

  /// Rows of 16-bit elements that stay on chip.
  static constexpr Count resident_rows(Count head_dim) { return resident_bytes / (head_dim * 2); }
};

constexpr KernelTiling standard_backward_tiling(Count head_dim) {
  using Layout = StandardBackwardLayout;
  const Count element = size_of(DType::fp16), tile = Layout::tile;
  const Count shared = Layout::resident_bytes + (Layout::stages * tile * tile + tile * head_dim) * element;
  return {
      .head_dim = head_dim, .head_dim_v = head_dim, .threads = 256, .shared = Bytes(shared), .padding = Bytes(shared)};
}

/// The tilings that are compiled; for data-centre GPUs.
inline constexpr std::array standard_backward_tilings = {standard_backward_tiling(64), standard_backward_tiling(128)};

/// As Kernel::refusal: steps that are kernels of their own, types of P, dP and dS, lengths, the sizes of the grids.
std::optional<std::string> refusal_of_standard_backward(const Case& point);

/// As Kernel::launch and Kernel::count.
void launch_standard_backward(const Tensors& tensors, const Case& point, Stream stream);
Work count_standard_backward(const Tensors& tensors, const Case& point, Stream stream);

}  // namespace tilemeter::kernels
