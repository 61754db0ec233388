// How a tensor lies in device memory, in the form that Hopper's tensor copies take.
#pragma once

#include <cuda.h>

#include <span>

#include "model/dtype.hpp"

namespace tilemeter::kernels {

/// A dimension of a tensor, and how much of it one copy takes: up to 256 elements. What a box holds beyond `size` is
/// zeros when loaded and left out when stored.
struct BoxDimension {
  Count size = 0;
  Count stride = 0;  ///< elements from one index to the next; a multiple of 16 bytes, except 1 in the first dimension
  int box = 1;
};

/// Describes fp32, fp16, bf16, fp8 or int8 memory, aligned to 16 bytes, by 1 to 5 dimensions, innermost first. The
/// innermost box is 128 bytes, which tensor copies swizzle in shared memory (kernels/hopper.cuh), or 64, which they
/// swizzle within themselves (kernels/wgmma.cuh: k_major_rows). Throws CudaError without a
/// driver, std::invalid_argument when the driver refuses.
CUtensorMap tensor_map(DType type, const void* memory, std::span<const BoxDimension> dimensions);

/// Describes row-major matrices, one behind the other, copied in boxes of `box_rows` rows of 128 bytes (load_box,
/// store_box).
CUtensorMap matrix_map(DType type, const void* memory, Count matrices, Count rows, Count columns, int box_rows);

/// Describes matrices of contiguous rows, one behind the other, of which a copy takes `box_rows` rows, panel of 128
/// bytes by panel (kernels/hopper.cuh: load_rows, store_rows): all panels, or one in `parts` of them. Rows are a
/// multiple of 128 bytes.
CUtensorMap panel_map(DType type, const void* memory, Count matrices, Count rows, Count columns, int box_rows,
                      int parts = 1);

}  // namespace tilemeter::kernels
