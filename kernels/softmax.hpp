// Softmax of the rows of a matrix in one to three passes: the mirror of the simulator's `softmax`.
#pragma once

#include <array>

#include "kernels/tensors.hpp"

namespace tilemeter::kernels {

inline constexpr std::array softmax_variants = {Variant::safe, Variant::online, Variant::naive, Variant::resident};

/// A thread block takes a row; where the row is resident and short, a warp does. Registers hold the row or a piece of
/// `block_k` elements of it. Shared memory holds what the warps found, for the others to read.
inline constexpr std::array softmax_tilings = {
    KernelTiling{.block_k = 8192, .threads = 256, .shared = Bytes(64), .padding = Bytes(64)}};

/// Bytes of the longest row that stays on chip, as it is in memory.
inline constexpr Count longest_resident_bytes = 65536;

/// Thread blocks of the kernel. Throws FigureOverflow.
Count softmax_blocks(const Case& point);

/// As Kernel::launch and Kernel::count.
void launch_softmax(const Tensors& tensors, const Case& point, Stream stream);
Work count_softmax(const Tensors& tensors, const Case& point, Stream stream);

}  // namespace tilemeter::kernels
