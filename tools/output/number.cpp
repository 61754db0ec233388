#include "tools/output/number.hpp"

#include <array>

#include "model/digits.hpp"

#include "tools/output/colour.hpp"

namespace tilemeter {

std::string with_separators(Count value) {
  std::string text = std::to_string(value);
  const std::size_t first = value < 0 ? 1 : 0;
  for (std::size_t at = text.size(); at > first + 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

std::string binary_size(Count bytes) {
  constexpr std::array<std::string_view, 6> units = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < units.size()) {
    value /= 1024;
    ++unit;
  }
  return (unit == 0 ? std::to_string(bytes) : fixed(value, 2)) + " " + std::string(units[unit]);
}

std::string fixed(double value, int decimals) { return fixed_digits(value, decimals); }

std::string pad_left(std::string_view text, std::size_t width) {
  const std::size_t taken = visible_width(text);
  return std::string(width > taken ? width - taken : 0, ' ') + std::string(text);
}

std::string pad_right(std::string_view text, std::size_t width) {
  const std::size_t taken = visible_width(text);
  return std::string(text) + std::string(width > taken ? width - taken : 0, ' ');
}

}  // namespace tilemeter
