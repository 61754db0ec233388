// Sizes of the memory on chip: "100KiB", "50000el".
#pragma once

#include <string>
#include <string_view>

#include "model/units.hpp"

namespace tilemeter {

enum class SizeUnit { bytes, elements };

/// An amount of memory, in bytes or in elements.
struct Size {
  Count amount = 0;
  SizeUnit unit = SizeUnit::bytes;
  friend bool operator==(const Size&, const Size&) = default;
};

/// A positive integer with one of the suffixes B KiB MiB GiB el. Throws InputError that names `option`.
Size parse_size(std::string_view option, std::string_view text);

/// The size with the largest suffix that is exact: "100KiB", "50000el".
std::string to_string(Size size);

}  // namespace tilemeter
