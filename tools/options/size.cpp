#include "tools/options/size.hpp"

#include <array>

#include "tools/options/text.hpp"

namespace tilemeter {
namespace {

struct Suffix {
  std::string_view name;
  Count factor;
  SizeUnit unit;
};

constexpr std::array<Suffix, 5> suffixes = {{{"GiB", Count{1} << 30, SizeUnit::bytes},
                                             {"MiB", Count{1} << 20, SizeUnit::bytes},
                                             {"KiB", Count{1} << 10, SizeUnit::bytes},
                                             {"B", 1, SizeUnit::bytes},
                                             {"el", 1, SizeUnit::elements}}};

[[noreturn]] void refuse(std::string_view option, std::string_view text) {
  throw InputError(quote(option, text) +
                   " is not a size: expected a whole number with a suffix B, KiB, MiB, GiB (bytes) or el (elements), "
                   "such as 100KiB or 50000el");
}

}  // namespace

Size parse_size(std::string_view option, std::string_view text) {
  const std::size_t digits = text.find_first_not_of("0123456789");
  if (digits == 0 || digits == std::string_view::npos) refuse(option, text);
  for (const Suffix& suffix : suffixes) {
    if (text.substr(digits) != suffix.name) continue;
    try {
      const Count amount = parse_count(option, text.substr(0, digits), 0);
      if (amount == 0)
        throw InputError(quote(option, text) + " is too small: expected at least 1" + std::string(suffix.name));
      return {checked::multiply(amount, suffix.factor), suffix.unit};
    } catch (const UnnamedOverflow&) {
      throw InputError(quote(option, text) + " is too large: expected at most 2^63 - 1 bytes");
    }
  }
  refuse(option, text);
}

std::string to_string(Size size) {
  for (const Suffix& suffix : suffixes) {
    if (suffix.unit != size.unit || size.amount % suffix.factor != 0) continue;
    return std::to_string(size.amount / suffix.factor) + std::string(suffix.name);
  }
  return {};
}

}  // namespace tilemeter
