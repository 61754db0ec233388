#include "model/suggest.hpp"

#include <algorithm>
#include <numeric>

namespace tilemeter {
namespace {

/// Levenshtein distance: insertions, deletions and substitutions.
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row[b.size()];
}

}  // namespace

std::optional<std::string_view> closest(std::string_view name, const std::vector<std::string_view>& candidates) {
  constexpr std::size_t longest = 64;
  if (name.size() > longest) return std::nullopt;
  std::size_t fewest = name.size() / 3 + 1;
  std::optional<std::string_view> best;
  for (const std::string_view candidate : candidates) {
    const std::size_t count = edits(name, candidate);
    if (count >= fewest) continue;
    fewest = count;
    best = candidate;
  }
  return best;
}

std::string suggestion(std::string_view name, const std::vector<std::string_view>& candidates) {
  const auto best = closest(name, candidates);
  return best ? " (did you mean \"" + std::string(*best) + "\"?)" : "";
}

std::string joined(const std::vector<std::string_view>& names) {
  std::string text;
  for (const std::string_view name : names) text += (text.empty() ? "" : " ") + std::string(name);
  return text;
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

}  // namespace tilemeter
