#include "model/number_format.hpp"

#include <array>

#include "model/quantity.hpp"
#include "model/suggest.hpp"
#include "model/wide.hpp"

namespace tilemeter {
namespace {

struct Format {
  std::string_view name;
  Count bits;
};
constexpr std::array formats = {Format{"fp64", 64}, Format{"fp32", 32}, Format{"fp16", 16}, Format{"bf16", 16},
                                Format{"fp8", 8},   Format{"int8", 8},  Format{"int4", 4}};

}  // namespace

double NumberFormat::bytes_per_element() const {
  const double plain = static_cast<double>(bits) / 8;
  if (!grouping) return plain;
  return plain +
         static_cast<double>(grouping->scale_bits + grouping->zero_bits) / (8 * static_cast<double>(grouping->size));
}

Bytes NumberFormat::stored(Count count) const {
  Wide total = Wide(count) * Wide(bits);
  if (grouping) {
    const Wide groups = ceil_div(Wide(count), Wide(grouping->size));
    total += groups * Wide(grouping->scale_bits + grouping->zero_bits);
  }
  return Bytes(ceil_div(total, Wide(8)).narrow());
}

std::vector<std::string_view> number_format_names() {
  std::vector<std::string_view> names;
  for (const Format& format : formats) names.push_back(format.name);
  return names;
}

NumberFormat number_format(std::string_view option, std::string_view name) {
  std::string names;
  for (const Format& format : formats) {
    if (format.name == name) return {.name = std::string(name), .bits = format.bits};
    names += (names.empty() ? "" : ", ") + std::string(format.name);
  }
  throw InputError(std::string(option) + " " + in_quotes(name) + suggestion(name, number_format_names()) +
                   ": expected one of " + names);
}

}  // namespace tilemeter
