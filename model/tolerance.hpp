// How far a computation may be from the double-precision reference.
#pragma once

#include <algorithm>

#include "model/problem.hpp"

namespace tilemeter {

/// The relative Frobenius error that values stored in `type` are allowed.
constexpr double tolerance_of(DType type) {
  switch (type) {
    case DType::fp64:
      return 1e-12;
    case DType::fp32:
      return 1e-5;
    case DType::fp16:
      return 2e-3;
    case DType::fp8:
      return 0x1p-4;  // what rounding to three bits of mantissa may cost: the weights' rms is 2.7e-2
    default:
      return 1.6e-2;
  }
}

/// How far LSE may be off, relative to its size or 1. The tensor cores add products of fp8 in less than fp32's
/// precision.
constexpr double tolerance_of_lse(const Problem& problem) {
  return problem.dtype == DType::fp8 ? 1e-3 : tolerance_of(problem.stat_dtype);
}

/// By the coarsest of the types in which an operand, a score, O or a statistic is stored.
constexpr double tolerance_of(const Problem& problem) {
  return std::max({tolerance_of(problem.dtype), tolerance_of(problem.score_dtype), tolerance_of(problem.o_dtype),
                   tolerance_of(problem.stat_dtype)});
}

}  // namespace tilemeter
