#include "tools/options/text.hpp"

#include <algorithm>
#include <charconv>

#include "model/suggest.hpp"

namespace tilemeter {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string join(std::span<const std::string_view> words, std::string_view separator) {
  std::string joined;
  for (const std::string_view word : words) {
    if (!joined.empty()) joined += separator;
    joined += word;
  }
  return joined;
}

bool has_word(std::string_view text, std::string_view word) {
  const auto words = split(text, ' ');
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string quote(std::string_view option, std::string_view value) {
  constexpr std::size_t longest = 200;
  if (value.empty()) return std::string(option) + " \"\"";
  return std::string(option) + " " + std::string(value.substr(0, longest)) + (value.size() > longest ? "..." : "");
}

void refuse_repeated(std::string_view option, std::string_view item, std::string_view whole) {
  throw InputError(quote(option, item) + " stands twice in " + quote(option, whole).substr(option.size() + 1) +
                   ": expected each value once");
}

std::vector<std::string_view> list_items(std::string_view option, std::string_view text) {
  std::vector<std::string_view> items = split(text, ',');
  std::vector<std::string_view> sorted = items;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end() && !twice->empty()) refuse_repeated(option, *twice, text);
  return items;
}

void refuse_word(std::string_view option, std::string_view value, const std::vector<std::string_view>& words) {
  throw InputError(quote(option, value) + suggestion(value, words) + ": expected one of " + join(words));
}

Count parse_count(std::string_view option, std::string_view text, Count minimum, Count maximum) {
  const bool limited = maximum < std::numeric_limits<Count>::max();
  const std::string range = std::to_string(minimum) + " to " + (limited ? std::to_string(maximum) : "2^63 - 1");
  const std::string expected = ": expected an integer from " + range;
  Count value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) throw InputError(quote(option, text) + " is too large" + expected);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw InputError(quote(option, text) + " is not a whole number" + expected);
  }
  if (value < minimum) throw InputError(quote(option, text) + " is too small" + expected);
  if (value > maximum) throw InputError(quote(option, text) + ": expected " + range);
  return value;
}

}  // namespace tilemeter
