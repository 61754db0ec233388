#include "traces/ncu/printed_number.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "model/error.hpp"
#include "model/quantity.hpp"
#include "model/wide.hpp"

namespace tilemeter::ncu {
namespace {

struct Unit {
  Quantity quantity;
  std::string_view name;
  Count factor;  ///< in base units: bytes, picoseconds, hertz
};

// Spellings of several versions: "usecond" became "us", "cycle/nsecond" became "Ghz".
constexpr std::array units = {Unit{Quantity::bytes, "byte", 1},
                              Unit{Quantity::bytes, "Kbyte", 1'000},
                              Unit{Quantity::bytes, "Mbyte", 1'000'000},
                              Unit{Quantity::bytes, "Gbyte", 1'000'000'000},
                              Unit{Quantity::bytes, "Tbyte", 1'000'000'000'000},
                              Unit{Quantity::bytes, "sector", 32},
                              Unit{Quantity::seconds, "ns", 1'000},
                              Unit{Quantity::seconds, "nsecond", 1'000},
                              Unit{Quantity::seconds, "us", 1'000'000},
                              Unit{Quantity::seconds, "usecond", 1'000'000},
                              Unit{Quantity::seconds, "ms", 1'000'000'000},
                              Unit{Quantity::seconds, "msecond", 1'000'000'000},
                              Unit{Quantity::seconds, "s", 1'000'000'000'000},
                              Unit{Quantity::seconds, "second", 1'000'000'000'000},
                              Unit{Quantity::cycles, "cycle", 1},
                              Unit{Quantity::instructions, "inst", 1},
                              Unit{Quantity::percent, "%", 1},
                              Unit{Quantity::hertz, "hz", 1},
                              Unit{Quantity::hertz, "Khz", 1'000},
                              Unit{Quantity::hertz, "Mhz", 1'000'000},
                              Unit{Quantity::hertz, "Ghz", 1'000'000'000},
                              Unit{Quantity::hertz, "cycle/second", 1},
                              Unit{Quantity::hertz, "cycle/usecond", 1'000'000},
                              Unit{Quantity::hertz, "cycle/nsecond", 1'000'000'000},
                              Unit{Quantity::plain, "", 1}};

Count factor_of(std::string_view name, Quantity quantity, const std::string& what) {
  std::string accepted;
  for (const Unit& unit : units) {
    if (unit.quantity != quantity) continue;
    if (unit.name == name) return unit.factor;
    accepted.append(" ").append(unit.name);
  }
  throw InputError(what + " is in " + in_quotes(name) + "; accepted units:" + accepted);
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Length of the digits at the start of `text`.
std::size_t digits(std::string_view text) {
  return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_digit) - text.begin());
}

/// `text` without the commas between its groups of digits; empty where it is no number.
std::string without_groups(std::string_view text) {
  std::string plain;
  if (text.starts_with('-')) {
    plain = "-";
    text.remove_prefix(1);
  }
  std::size_t group = digits(text);
  bool grouped = false;
  while (group > 0) {
    plain += text.substr(0, group);
    text.remove_prefix(group);
    if (!text.starts_with(',')) break;
    // "12,34" and "1234,567" are no groups of thousands.
    if (grouped ? group != 3 : group > 3) return {};
    grouped = true;
    text.remove_prefix(1);
    group = digits(text);
    if (group != 3) return {};
  }
  if (group == 0) return {};
  if (text.starts_with('.') && text.size() > 1 && digits(text.substr(1)) == text.size() - 1) {
    plain += text;
    text = {};
  }
  return text.empty() ? plain : std::string();
}

std::string number_of(std::string_view value, const std::string& what) {
  constexpr std::size_t longest = 40;
  std::string number = value.size() <= longest ? without_groups(value) : std::string();
  if (number.empty()) throw InputError(what + " is " + in_quotes(value) + "; a number such as 1,234.5 is accepted");
  return number;
}

Wide power_of_ten(std::size_t exponent) {
  Wide power = 1;
  for (std::size_t i = 0; i < exponent; ++i) power = power * Wide(10);
  return power;
}

Wide digits_as_number(const std::string& number) {
  Wide value;
  for (const char c : number) {
    if (is_digit(c)) value = value * Wide(10) + Wide(c - '0');
  }
  return number.starts_with('-') ? Wide(0) - value : value;
}

}  // namespace

Whole whole_of(const Printed& printed, Quantity quantity, const std::string& what) {
  const std::string number = number_of(printed.value, what);
  const Wide factor = factor_of(printed.unit, quantity, what);
  const std::size_t point = number.find('.');
  const std::size_t decimals = point == std::string::npos ? 0 : number.size() - point - 1;
  return named(what, [&] {
    const Wide scaled = digits_as_number(number) * factor;
    const Wide divisor = power_of_ten(decimals);
    if (floor_mod(scaled, divisor) != Wide(0)) {
      throw InputError(what + " is " + in_quotes(printed.value) + " " + std::string(printed.unit) +
                       ", no whole number; the .sum of a counter is accepted");
    }
    return Whole{floor_div(scaled, divisor).narrow(), std::max(Wide(1), floor_div(factor, divisor)).narrow()};
  });
}

double real_of(const Printed& printed, Quantity quantity, const std::string& what) {
  const Count factor = factor_of(printed.unit, quantity, what);
  if (printed.value == "nan" || printed.value == "-nan") return std::numeric_limits<double>::quiet_NaN();
  if (printed.value == "inf" || printed.value == "-inf") return std::numeric_limits<double>::infinity();
  const std::string number = number_of(printed.value, what);
  double value = 0;
  std::from_chars(number.data(), number.data() + number.size(), value);
  return value * static_cast<double>(factor);
}

}  // namespace tilemeter::ncu
