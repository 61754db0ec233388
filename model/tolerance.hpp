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
    default:
      return 1.6e-2;
  }
}

/// By the coarsest of the types in which an operand, a score, O or a statistic is stored.
constexpr double tolerance_of(const Problem& problem) {
  return std::max({tolerance_of(problem.dtype), tolerance_of(problem.score_dtype), tolerance_of(problem.o_dtype),
                   tolerance_of(problem.stat_dtype)});
}

}  // namespace tilemeter
