#include "model/quantity.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <span>

#include "model/digits.hpp"
#include "model/wide.hpp"

namespace tilemeter {
namespace {

struct ByteUnit {
  std::string_view name;
  Count bytes;
};
constexpr std::array<ByteUnit, 8> byte_units = {{{"B", 1},
                                                 {"KiB", Count{1} << 10},
                                                 {"MiB", Count{1} << 20},
                                                 {"GiB", Count{1} << 30},
                                                 {"kB", 1'000},
                                                 {"MB", 1'000'000},
                                                 {"GB", 1'000'000'000},
                                                 {"TB", 1'000'000'000'000}}};
constexpr std::size_t binary_units = 4;

/// A unit that stands for 10^exponent of its SI unit.
struct DecimalUnit {
  std::string_view name;
  int exponent;
};
constexpr std::array<DecimalUnit, 4> bandwidth_units = {{{"MB/s", 6}, {"GB/s", 9}, {"TB/s", 12}, {"PB/s", 15}}};
constexpr std::array<DecimalUnit, 3> flops_units = {{{"GFLOP/s", 9}, {"TFLOP/s", 12}, {"PFLOP/s", 15}}};
constexpr std::array<DecimalUnit, 4> operation_units = {{{"Mop/s", 6}, {"Gop/s", 9}, {"Top/s", 12}, {"Pop/s", 15}}};
constexpr std::array<DecimalUnit, 3> frequency_units = {{{"kHz", 3}, {"MHz", 6}, {"GHz", 9}}};
constexpr std::array<DecimalUnit, 2> power_units = {{{"W", 0}, {"kW", 3}}};

constexpr std::array<DecimalUnit, 4> time_units = {{{"ns", -9}, {"us", -6}, {"ms", -3}, {"s", 0}}};

constexpr std::size_t longest_number = 40;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_blank(char c) { return c == ' ' || c == '\t'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// A number as written and what follows it. `number` is empty when the text does not start with one.
struct Split {
  std::string_view number;
  std::string_view unit;
};

Split split(std::string_view text) {
  text = trimmed(text);
  std::size_t end = 0;
  while (end < text.size() && is_digit(text[end])) ++end;
  if (end > 0 && end + 1 < text.size() && text[end] == '.' && is_digit(text[end + 1])) {
    ++end;
    while (end < text.size() && is_digit(text[end])) ++end;
  }
  if (end > longest_number) end = 0;
  return {text.substr(0, end), trimmed(text.substr(end))};
}

template <class Units>
[[noreturn]] void refuse(std::string_view text, std::string_view what, const Units& units, std::string_view example) {
  std::string message = std::string(what) + " " + in_quotes(text) + ": expected a positive number and a unit of";
  for (const auto& unit : units) message += " " + std::string(unit.name);
  throw InputError(message + ", such as \"" + std::string(example) + "\"");
}

/// An unsigned decimal number: digits / 10^fraction.
struct Decimal {
  Wide digits;
  Wide divisor = 1;
};

/// The value of `number`. Throws UnnamedOverflow past 128 bits.
Decimal decimal_of(std::string_view number) {
  const std::size_t point = number.find('.');
  if (point != std::string_view::npos) {
    number = number.substr(0, std::max(number.find_last_not_of('0') + 1, point + 1));
  }
  Decimal decimal;
  bool fraction = false;
  for (const char c : number) {
    if (c == '.') {
      fraction = true;
      continue;
    }
    decimal.digits = decimal.digits * Wide(10) + Wide(c - '0');
    if (fraction) decimal.divisor = decimal.divisor * Wide(10);
  }
  return decimal;
}

/// A positive value in SI units, correctly rounded.
double parse_decimal(std::string_view text, std::string_view what, std::span<const DecimalUnit> units,
                     std::string_view example) {
  const Split parts = split(text);
  const auto unit = std::find_if(units.begin(), units.end(), [&](const auto& u) { return u.name == parts.unit; });
  if (parts.number.empty() || unit == units.end()) refuse(text, what, units, example);
  const std::string number = std::string(parts.number) + "e" + std::to_string(unit->exponent);
  double value = 0;
  const auto result = std::from_chars(number.data(), number.data() + number.size(), value);
  if (result.ec != std::errc() || !(value > 0) || !std::isfinite(value)) refuse(text, what, units, example);
  return value;
}

std::string prefixed(double value, std::string_view unit) {
  constexpr std::array<std::string_view, 7> prefixes = {"", "k", "M", "G", "T", "P", "E"};
  std::size_t prefix = 0;
  // 999.95 prints as 1000 with four digits: it belongs to the next prefix.
  while (std::abs(value) >= 999.95 && prefix + 1 < prefixes.size()) {
    value /= 1000;
    ++prefix;
  }
  const std::string digits = std::abs(value) < 1e4 ? significant_digits(value, 4) : scientific_digits(value, 3);
  return digits + " " + std::string(prefixes[prefix]) + std::string(unit);
}

}  // namespace

Bytes parse_bytes(std::string_view text, std::string_view what, ByteUnits units, Zero zero) {
  const auto accepted = std::span(byte_units).first(units == ByteUnits::binary ? binary_units : byte_units.size());
  const Split parts = split(text);
  const auto unit = std::find_if(accepted.begin(), accepted.end(), [&](const auto& u) { return u.name == parts.unit; });
  if (parts.number.empty() || unit == accepted.end()) refuse(text, what, accepted, "100 KiB");
  return named(std::string(what) + " " + in_quotes(text), [&] {
    const Decimal number = decimal_of(parts.number);
    const Wide scaled = number.digits * Wide(unit->bytes);
    if (floor_mod(scaled, number.divisor) != Wide(0)) {
      throw InputError(std::string(what) + " " + in_quotes(text) + ": is not a whole number of bytes");
    }
    const Bytes size(floor_div(scaled, number.divisor).narrow());
    if (size.value() == 0 && zero == Zero::refused) refuse(text, what, accepted, "100 KiB");
    return size;
  });
}

Count parse_count(std::string_view text, std::string_view what) {
  const std::string_view number = trimmed(text);
  Count value = 0;
  const auto result = std::from_chars(number.data(), number.data() + number.size(), value);
  if (result.ec == std::errc::result_out_of_range && is_digit(number.front())) {
    throw FigureOverflow(std::string(what) + " " + in_quotes(text));
  }
  if (result.ec != std::errc() || result.ptr != number.data() + number.size() || value < 1) {
    throw InputError(std::string(what) + " " + in_quotes(text) +
                     ": expected a whole number of at least 1, without a unit");
  }
  return value;
}

BytesPerSecond parse_bandwidth(std::string_view text, std::string_view what) {
  return {parse_decimal(text, what, bandwidth_units, "3.35 TB/s")};
}
OpsPerSecond parse_flops(std::string_view text, std::string_view what) {
  return {parse_decimal(text, what, flops_units, "989.4 TFLOP/s")};
}
OpsPerSecond parse_operations(std::string_view text, std::string_view what) {
  return {parse_decimal(text, what, operation_units, "3.87 Top/s")};
}
Hertz parse_frequency(std::string_view text, std::string_view what) {
  return {parse_decimal(text, what, frequency_units, "1.98 GHz")};
}
Watts parse_power(std::string_view text, std::string_view what) {
  return {parse_decimal(text, what, power_units, "700 W")};
}
Seconds parse_time(std::string_view text, std::string_view what) {
  return {parse_decimal(text, what, time_units, "12.8 us")};
}

double parse_share(std::string_view text, std::string_view what) {
  const Split parts = split(text);
  double value = 0;
  const auto end = parts.number.data() + parts.number.size();
  const bool read = !parts.number.empty() && std::from_chars(parts.number.data(), end, value).ec == std::errc();
  if (parts.unit == "%") value /= 100;
  if (!read || (parts.unit != "%" && !parts.unit.empty()) || !(value > 0) || value > 1) {
    throw InputError(std::string(what) + " " + in_quotes(text) +
                     ": expected a share above 0 and at most 1, such as 0.82 or \"82 %\"");
  }
  return value;
}

std::string to_text(Bytes size) {
  const Wide value = size.value() < 0 ? Wide(0) - Wide(size.value()) : Wide(size.value());
  const std::string sign = size.value() < 0 ? "-" : "";
  if (value < Wide(1024)) return sign + std::to_string(value.narrow()) + " B";
  std::size_t unit = 1;
  const auto tenths = [&] {  // rounded to nearest
    const Wide bytes(byte_units[unit].bytes);
    return floor_div(value * Wide(10) + floor_div(bytes, Wide(2)), bytes).narrow();
  };
  while (tenths() >= 10240 && unit + 1 < binary_units) ++unit;
  return sign + std::to_string(tenths() / 10) + "." + std::to_string(tenths() % 10) + " " +
         std::string(byte_units[unit].name);
}

std::string exact_text(Bytes size) {
  std::size_t unit = binary_units - 1;
  while (unit > 0 && (size.value() == 0 || size.value() % byte_units[unit].bytes != 0)) --unit;
  return std::to_string(size.value() / byte_units[unit].bytes) + " " + std::string(byte_units[unit].name);
}

std::string to_text(BytesPerSecond rate) { return prefixed(rate.value, "B/s"); }
std::string to_text(Hertz frequency) { return prefixed(frequency.value, "Hz"); }
std::string to_text(Watts power) { return prefixed(power.value, "W"); }
std::string to_text(Seconds time) {
  if (time.value == 0) return "0 s";
  constexpr std::array<std::string_view, 6> units = {"s", "ms", "us", "ns", "ps", "fs"};
  std::size_t unit = 0;
  double value = time.value;
  for (; std::abs(value) < 0.99995 && unit + 1 < units.size(); ++unit) value *= 1000;
  return significant_digits(value, 4) + " " + std::string(units[unit]);
}

std::string binary_text(BytesPerSecond rate) {
  constexpr std::array<std::string_view, 6> units = {"B/s", "KiB/s", "MiB/s", "GiB/s", "TiB/s", "PiB/s"};
  std::size_t unit = 0;
  double value = rate.value;
  for (; value >= 1023.95 && unit + 1 < units.size(); ++unit) value /= 1024;
  return significant_digits(value, 4) + " " + std::string(units[unit]);
}

std::string flops_text(OpsPerSecond rate) { return prefixed(rate.value, "FLOP/s"); }
std::string operations_text(OpsPerSecond rate) { return prefixed(rate.value, "op/s"); }

std::string spaced(std::string_view text) {
  const Split parts = split(text);
  if (parts.number.empty()) return std::string(trimmed(text));
  return std::string(parts.number) + (parts.unit.empty() ? "" : " ") + std::string(parts.unit);
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t longest = 60;
  std::string shown(text.substr(0, longest));
  for (char& c : shown) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  return "\"" + shown + (text.size() > longest ? "...\"" : "\"");
}

}  // namespace tilemeter
