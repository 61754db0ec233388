// Random points that a kernel can run.
#pragma once

#include <random>

#include "kernels/catalog.hpp"

/// Sizes of the random points: `small` is for numbers and checking tools, `medium` for counters.
enum class PointSize { small, medium };

/// A point for `tiling` with every choice that the kernel has drawn at random: type, mask, variant, lengths, heads.
/// Throws std::logic_error when the kernel supports none of many tries.
tilemeter::Case random_kernel_point(const tilemeter::kernels::Kernel& kernel,
                                    const tilemeter::kernels::KernelTiling& tiling, PointSize size,
                                    std::mt19937_64& random);
