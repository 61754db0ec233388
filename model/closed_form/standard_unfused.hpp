// Standard attention with scale, mask and dropout as kernels of their own.
#pragma once

#include <string>

#include "model/problem.hpp"
#include "model/work.hpp"

namespace tilemeter {

/// The three kernels of `standard`, and up to three more (Options::unfused_scale, unfused_mask, unfused_dropout). Scale
/// and mask each read and write S once more; the mask kernel reads a mask of Nk elements (MaskShape::row) or rows x Nk
/// (full) per stream; dropout reads P, writes Pd and the keep-mask Z at one byte, and the last GEMM reads Pd.
/// N = 512, d = 64 with all three: 3015168 elements. Source: FlashAttention's unfused baseline, kernel by kernel.
Work standard_unfused_bill(const Case& point);

std::string standard_unfused_expression(const Case& point);

}  // namespace tilemeter
