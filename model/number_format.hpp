// How weights and caches are stored: plain types, and integers with a scale (and a zero point) for each group.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/units.hpp"

namespace tilemeter {

/// Metadata of each group of a quantised format.
struct Grouping {
  Count size = 0;        ///< elements that share a scale
  Count scale_bits = 0;  ///< of the scale
  Count zero_bits = 0;   ///< of the zero point; 0 is none
};

/// A storage format. Formats without groups keep their scales per tensor or row, which is not counted.
struct NumberFormat {
  std::string name;
  Count bits = 0;
  std::optional<Grouping> grouping = std::nullopt;

  /// Bytes of one element, its share of scale and zero point included: bits / 8 + (scale + zero) / (8 size).
  /// int4 in groups of 128 with an fp16 scale: 0.5 + 2 / 128 = 0.515625.
  double bytes_per_element() const;
  /// Bytes of `count` elements, packed, the last group possibly short; rounded up to whole bytes. Throws
  /// UnnamedOverflow.
  Bytes stored(Count count) const;
};

/// fp64 fp32 fp16 bf16 fp8 int8 int4.
std::vector<std::string_view> number_format_names();

/// The format called fp64 fp32 fp16 bf16 fp8 int8 int4. Throws InputError that starts with `option` and lists them.
NumberFormat number_format(std::string_view option, std::string_view name);

}  // namespace tilemeter
