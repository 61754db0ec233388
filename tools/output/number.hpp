// Numbers for people.
#pragma once

#include <string>
#include <string_view>

#include "model/units.hpp"

namespace tilemeter {

/// "17,383,424".
std::string with_separators(Count value);

/// A binary size with two decimals, "33.81 MiB"; plain bytes below 1 KiB.
std::string binary_size(Count bytes);

/// `value` with `decimals` digits after the point.
std::string fixed(double value, int decimals);

/// `text` filled with blanks up to `width` characters; styles take none.
std::string pad_left(std::string_view text, std::size_t width);
std::string pad_right(std::string_view text, std::size_t width);

}  // namespace tilemeter
