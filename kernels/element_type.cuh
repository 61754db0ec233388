// From a data type known at run time to the C++ type that a kernel was compiled for.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <stdexcept>

#include "model/dtype.hpp"

namespace tilemeter::kernels {

/// Names an element type without an element.
template <class T>
struct ElementType {};

/// Calls `body(ElementType<T>())` with the half-precision type that `dtype` is; std::logic_error for others. A build
/// that only shows that the code compiles has one type.
template <class Body>
void with_half_type(DType dtype, Body body) {
  switch (dtype) {
#ifndef TILEMETER_FIRST_TILING
    case DType::fp16:
      return body(ElementType<__half>());
#endif
    case DType::bf16:
      return body(ElementType<__nv_bfloat16>());
    default:
      throw std::logic_error("no kernel was compiled for this data type");
  }
}

/// The same with fp32.
template <class Body>
void with_element_type(DType dtype, Body body) {
#ifndef TILEMETER_FIRST_TILING
  if (dtype == DType::fp32) return body(ElementType<float>());
#endif
  with_half_type(dtype, body);
}

}  // namespace tilemeter::kernels
