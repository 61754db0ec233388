// Element types and their sizes.
#pragma once

#include <optional>
#include <string_view>

#include "model/units.hpp"

namespace tilemeter {

enum class DType { fp64, fp32, fp16, bf16, fp8, u8, i32, int8, int4 };  ///< type of the elements of a tensor

/// Bits of one element.
constexpr Count bits_of(DType type) {
  switch (type) {
    case DType::fp64:
      return 64;
    case DType::fp32:
    case DType::i32:
      return 32;
    case DType::fp16:
    case DType::bf16:
      return 16;
    case DType::fp8:
    case DType::u8:
    case DType::int8:
      return 8;
    case DType::int4:
      return 4;
  }
  return 0;
}

/// Bytes of one element that stands alone: half a byte takes a whole one.
constexpr Count size_of(DType type) { return ceil_div(bits_of(type), 8); }

/// Bytes of elements that stand side by side, rounded up to whole bytes.
inline Bytes bytes_of(Elements elements, DType type) {
  const Count count = elements.value();
  if (bits_of(type) == 4) return Bytes(ceil_div(count, 2));
  return Bytes(checked::multiply(count, size_of(type)));
}

/// Bytes of a rectangle of which every row starts on a whole byte: three rows of five int4 are 9 bytes.
inline Bytes bytes_of(Count rows, Count cols, DType type) { return rows * bytes_of(Elements(cols), type); }

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
    case DType::int8:
      return "int8";
    case DType::int4:
      return "int4";
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
