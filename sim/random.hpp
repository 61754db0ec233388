// Random numbers that are the same on every platform.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

#include "sim/rounding.hpp"
#include "sim/values.hpp"

namespace tilemeter {

/// Standard normal numbers from a seed (splitmix64, Box-Muller).
class Normal {
 public:
  explicit Normal(std::uint64_t seed) : state_(seed) {}

  double operator()() {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
    return radius * std::cos(2.0 * std::numbers::pi * uniform());
  }

  /// Numbers rounded to `dtype`, column by column.
  Matrix matrix(Count rows, Count cols, DType dtype) {
    Matrix matrix(rows, cols);
    for (double& value : matrix.reshaped()) value = round_to(dtype, (*this)());
    return matrix;
  }

 private:
  double uniform() {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9U;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBU;
    mixed ^= mixed >> 31;
    return static_cast<double>(mixed >> 11) * 0x1p-53;
  }

  std::uint64_t state_;
};

}  // namespace tilemeter
