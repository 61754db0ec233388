// Rounding to the operand types of a GPU, to nearest with ties to even.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "model/dtype.hpp"

namespace tilemeter {

/// `value` as a bf16, widened again. Infinities and NaN stay.
inline float round_to_bf16(float value) {
  if (!std::isfinite(value)) return value;
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t tie_to_even = (bits >> 16) & 1U;
  return std::bit_cast<float>((bits + 0x7FFFU + tie_to_even) & 0xFFFF0000U);
}

/// `value` as an IEEE binary16, widened again: subnormals below 2^-14, infinity from 65520.
inline float round_to_fp16(float value) {
  constexpr float smallest_normal = 0x1p-14F;
  constexpr float overflows_from = 65520.0F;
  if (!std::isfinite(value)) return value;
  const float magnitude = std::fabs(value);
  if (magnitude >= overflows_from) return std::copysign(std::numeric_limits<float>::infinity(), value);
  if (magnitude < smallest_normal) {
    constexpr float aligned = 0.5F;  // its last place is 2^-24, the unit of binary16 subnormals
    const float shifted = magnitude + aligned;
    return std::copysign(shifted - aligned, value);
  }
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t tie_to_even = (bits >> 13) & 1U;
  return std::bit_cast<float>((bits + 0x0FFFU + tie_to_even) & 0xFFFFE000U);
}

/// `value` as an e4m3, widened again: subnormals below 2^-6, and 448 for everything beyond.
inline float round_to_e4m3(float value) {
  constexpr float smallest_normal = 0x1p-6F;
  constexpr float largest = 448;
  if (std::isnan(value)) return value;
  const float magnitude = std::fmin(std::fabs(value), largest);
  if (magnitude < smallest_normal) {
    constexpr float aligned = 0x1p14F;  // its last place is 2^-9, the unit of e4m3 subnormals
    const float shifted = magnitude + aligned;
    return std::copysign(shifted - aligned, value);
  }
  const auto bits = std::bit_cast<std::uint32_t>(magnitude);
  const std::uint32_t tie_to_even = (bits >> 20) & 1U;
  return std::copysign(std::bit_cast<float>((bits + 0x7FFFFU + tie_to_even) & 0xFFF00000U), value);
}

/// `value` rounded to `type`. Types wider than Scalar leave it as it is.
template <class Scalar>
Scalar round_to(DType type, Scalar value) {
  switch (type) {
    case DType::fp32:
      return static_cast<Scalar>(static_cast<float>(value));
    case DType::bf16:
      return static_cast<Scalar>(round_to_bf16(static_cast<float>(value)));
    case DType::fp16:
      return static_cast<Scalar>(round_to_fp16(static_cast<float>(value)));
    case DType::fp8:
      return static_cast<Scalar>(round_to_e4m3(static_cast<float>(value)));
    case DType::fp64:
    case DType::u8:
    case DType::i32:
    case DType::int8:
    case DType::int4:
      return value;
  }
  return value;
}

}  // namespace tilemeter
