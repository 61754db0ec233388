#include "tools/options/segments.hpp"

#include "tools/options/text.hpp"
#include "tools/output/file.hpp"

namespace tilemeter {
namespace {

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  line = line.substr(0, line.find('#'));
  for (;;) {
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos) return words;
    const std::size_t end = std::min(line.find_first_of(" \t\r", begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    line.remove_prefix(end);
  }
}

}  // namespace

std::vector<Segment> parse_segments(std::string_view name, std::string_view text) {
  std::vector<Segment> segments;
  std::size_t number = 0;
  for (const std::string_view line : split(text, '\n')) {
    const std::string place = "--segments " + std::string(name) + ", line " + std::to_string(++number) + ":";
    const auto words = words_of(line);
    if (words.empty()) continue;
    if (words.size() != 2) {
      throw InputError(place + " expected two lengths \"q k\", found " + std::to_string(words.size()) + " words");
    }
    segments.push_back({parse_count(place + " q", words[0], 0), parse_count(place + " k", words[1], 0)});
  }
  if (segments.empty())
    throw InputError("--segments " + std::string(name) + ": expected a pair \"q k\" a line, found none");
  return segments;
}

std::vector<Segment> load_segments(const std::string& path) {
  return parse_segments(path, read_file("--segments", path));
}

}  // namespace tilemeter
