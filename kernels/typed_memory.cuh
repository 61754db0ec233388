// Memory whose element type is known at run time, for kernels that favour clarity over speed.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include "model/dtype.hpp"

namespace tilemeter::kernels {

/// `value` rounded to `type`, to nearest with ties to even; types wider than double's range of use leave it. fp8 stands
/// for what kernels do that scale such numbers to where e4m3 is dense: three bits of mantissa, and any exponent.
__device__ inline double rounded_to(DType type, double value) {
  switch (type) {
    case DType::fp32:
      return static_cast<float>(value);
    case DType::fp16:
      return __half2float(__double2half(value));
    case DType::bf16:
      return __bfloat162float(__double2bfloat16(value));
    case DType::fp8: {
      int exponent = 0;
      const double mantissa = frexp(value, &exponent);
      return ldexp(rint(mantissa * 16), exponent - 4);
    }
    default:
      return value;
  }
}

/// Elements of fp64, fp32, fp16, bf16, fp8 (e4m3) or int8.
struct TypedMemory {
  void* data = nullptr;
  DType type = DType::fp32;

  __device__ double at(Count i) const {
    switch (type) {
      case DType::fp16:
        return __half2float(static_cast<const __half*>(data)[i]);
      case DType::bf16:
        return __bfloat162float(static_cast<const __nv_bfloat16*>(data)[i]);
      case DType::fp32:
        return static_cast<const float*>(data)[i];
      case DType::fp8:
        return static_cast<float>(static_cast<const __nv_fp8_e4m3*>(data)[i]);
      case DType::int8:
        return static_cast<const signed char*>(data)[i];
      default:
        return static_cast<const double*>(data)[i];
    }
  }
  __device__ void set(Count i, double value) const {
    switch (type) {
      case DType::fp16:
        static_cast<__half*>(data)[i] = __double2half(value);
        return;
      case DType::bf16:
        static_cast<__nv_bfloat16*>(data)[i] = __double2bfloat16(value);
        return;
      case DType::fp32:
        static_cast<float*>(data)[i] = static_cast<float>(value);
        return;
      case DType::fp8:
        static_cast<__nv_fp8_e4m3*>(data)[i] = __nv_fp8_e4m3(value);
        return;
      case DType::int8:
        static_cast<signed char*>(data)[i] = static_cast<signed char>(fmin(fmax(rint(value), -127.0), 127.0));
        return;
      default:
        static_cast<double*>(data)[i] = value;
    }
  }
};

}  // namespace tilemeter::kernels
