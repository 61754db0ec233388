#include "tests/fuzz/mutations.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "tests/fuzz/draw.hpp"

namespace tilemeter::fuzz {
namespace {

using namespace std::string_view_literals;

constexpr std::array awkward = {"0"sv,
                                "-1"sv,
                                "9223372036854775807"sv,
                                "9223372036854775808"sv,
                                "1e308"sv,
                                "nan"sv,
                                "-inf"sv,
                                "1.5"sv,
                                "\0"sv,
                                "\xff\xfe"sv,
                                "\xc3\xa4"sv,
                                "\r\n"sv,
                                "\""sv,
                                "'''"sv,
                                "[["sv,
                                "]"sv,
                                "{}"sv,
                                "null"sv,
                                "true"sv,
                                ":"sv,
                                ","sv,
                                "="sv,
                                "#"sv,
                                "*2"sv,
                                "KiB"sv,
                                "el"sv,
                                "\\u0000"sv,
                                "\xef\xbb\xbf"sv,
                                "99999999999999999999"sv};

/// A place in `text` and a short length from there.
struct Span {
  std::size_t begin;
  std::size_t size;
};
Span short_span(const std::string& text, std::mt19937_64& random) {
  constexpr std::size_t longest = 40;
  const std::size_t begin = below(text.size() + 1, random);
  return {begin, std::min(text.size() - begin, 1 + below(longest, random))};
}

void insert_part(std::string& text, const std::string& source, std::mt19937_64& random) {
  const Span part = short_span(source, random);
  text.insert(below(text.size() + 1, random), source.substr(part.begin, part.size));
}

void damage(std::string& text, std::span<const std::string> others, std::mt19937_64& random) {
  const Span part = short_span(text, random);
  switch (below(8, random)) {
    case 0:
      text.erase(part.begin, part.size);
      break;
    case 1:
      text.insert(part.begin, text.substr(part.begin, part.size));
      break;
    case 2:
      text.insert(part.begin, awkward[below(awkward.size(), random)]);
      break;
    case 3:
      text.replace(part.begin, part.size, awkward[below(awkward.size(), random)]);
      break;
    case 4:
      insert_part(text, text, random);
      break;
    case 5:
      if (!others.empty()) insert_part(text, others[below(others.size(), random)], random);
      break;
    case 6:
      if (!text.empty()) text[below(text.size(), random)] = static_cast<char>(random());
      break;
    default:
      if (below(4, random) == 0) text.resize(part.begin);
  }
}

}  // namespace

std::string mutated(std::string text, std::span<const std::string> others, std::mt19937_64& random) {
  for (std::size_t left = 1 + below(4, random); left > 0; --left) damage(text, others, random);
  return text;
}

}  // namespace tilemeter::fuzz
