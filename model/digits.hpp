// Numbers as digits, the same whatever locale the program that links this library has set.
#pragma once

#include <string>
#include <string_view>

namespace tilemeter {

/// With so many digits after the point, as "%.*f" in the C locale.
std::string fixed_digits(double value, int decimals);
/// With so many significant digits and no trailing zeros, as "%.*g".
std::string significant_digits(double value, int digits);
/// With an exponent and so many digits after the point, as "%.*e".
std::string scientific_digits(double value, int decimals);

/// The number that all of `text` spells; NaN when it spells none, or one that no double holds.
double number_in(std::string_view text);

}  // namespace tilemeter
