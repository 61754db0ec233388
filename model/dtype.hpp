// Element types and their sizes.
#pragma once

#include <optional>
#include <string_view>

#include "model/units.hpp"

namespace tilemeter {

enum class DType { fp64, fp32, fp16, bf16, fp8, u8, i32 };

/// Bytes of one element.
constexpr Count size_of(DType type) {
  switch (type) {
    case DType::fp64:
      return 8;
    case DType::fp32:
    case DType::i32:
      return 4;
    case DType::fp16:
    case DType::bf16:
      return 2;
    case DType::fp8:
    case DType::u8:
      return 1;
  }
  return 0;
}

inline Bytes bytes_of(Elements elements, DType type) {
  return Bytes(checked::multiply(elements.value(), size_of(type)));
}

constexpr std::string_view name_of(DType type) {
  switch (type) {
    case DType::fp64:
      return "fp64";
    case DType::fp32:
      return "fp32";
    case DType::fp16:
      return "fp16";
    case DType::bf16:
      return "bf16";
    case DType::fp8:
      return "fp8";
    case DType::u8:
      return "u8";
    case DType::i32:
      return "i32";
  }
  return "";
}

/// The operand type called `name` (fp64 fp32 fp16 bf16 fp8), if there is one.
constexpr std::optional<DType> operand_type(std::string_view name) {
  for (const DType type : {DType::fp64, DType::fp32, DType::fp16, DType::bf16, DType::fp8}) {
    if (name_of(type) == name) return type;
  }
  return std::nullopt;
}

}  // namespace tilemeter
