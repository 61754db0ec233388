// Chains of elementwise operations, one kernel an operation or one for all: the mirror of the simulator's
// `elementwise`.
#pragma once

#include <array>

#include "kernels/tensors.hpp"

namespace tilemeter::kernels {

inline constexpr std::array elementwise_variants = {Variant::unfused, Variant::fused};

/// A thread block moves a piece of `block_k` elements, in registers alone.
constexpr KernelTiling elementwise_tiling(Count block_k) { return {.block_k = block_k, .threads = 256}; }

/// The tilings that are compiled.
inline constexpr std::array elementwise_tilings = {elementwise_tiling(2048), elementwise_tiling(8192)};

/// Thread blocks of each kernel. Throws FigureOverflow.
Count elementwise_blocks(const Case& point);

/// As Kernel::launch and Kernel::count.
void launch_elementwise(const Tensors& tensors, const Case& point, Stream stream);
Work count_elementwise(const Tensors& tensors, const Case& point, Stream stream);

}  // namespace tilemeter::kernels
