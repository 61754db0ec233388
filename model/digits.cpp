#include "model/digits.hpp"

#include <array>
#include <charconv>
#include <limits>
#include <system_error>

namespace tilemeter {
namespace {

std::string digits_of(double value, std::chars_format format, int precision) {
  std::array<char, 512> text{};  // the largest double has 309 digits before the point
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value, format, precision);
  return error == std::errc() ? std::string(text.data(), end) : std::string("?");
}

}  // namespace

std::string fixed_digits(double value, int decimals) { return digits_of(value, std::chars_format::fixed, decimals); }

std::string significant_digits(double value, int digits) {
  return digits_of(value, std::chars_format::general, digits);
}

std::string scientific_digits(double value, int decimals) {
  return digits_of(value, std::chars_format::scientific, decimals);
}

double number_in(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? value : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace tilemeter
