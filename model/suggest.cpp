#include "model/suggest.hpp"

#include <algorithm>
#include <compare>
#include <cstdlib>

namespace tilemeter {
namespace {

/// How far a name is from another: edits first, then how far the characters that differ are apart.
struct Distance {
  std::size_t edits = 0;
  std::size_t apart = 0;

  friend auto operator<=>(const Distance&, const Distance&) = default;
};

/// Insertions, deletions, substitutions, and swaps of neighbours, each of which is one edit.
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> table(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) table[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) table[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = table[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      table[i][j] = std::min({table[i - 1][j] + 1, table[i][j - 1] + 1, substituted});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) table[i][j] = std::min(table[i][j], table[i - 2][j - 2] + 1);
    }
  }
  return table[a.size()][b.size()];
}

/// The sum of the differences of characters at the same place, so that flash4 is nearer to flash3 than to flash1; a
/// character without a partner differs by more than any other.
std::size_t apart(std::string_view a, std::string_view b) {
  constexpr std::size_t alone = 256;
  const auto [shorter, longer] = std::minmax({a.size(), b.size()});
  std::size_t sum = (longer - shorter) * alone;
  for (std::size_t i = 0; i < shorter; ++i) {
    sum += static_cast<std::size_t>(
        std::abs(int{static_cast<unsigned char>(a[i])} - int{static_cast<unsigned char>(b[i])}));
  }
  return sum;
}

}  // namespace

std::optional<std::string_view> closest(std::string_view name, const std::vector<std::string_view>& candidates) {
  constexpr std::size_t longest = 64;
  if (name.size() > longest) return std::nullopt;
  const std::string wanted = lower_case(name);
  Distance least{.edits = name.size() / 3 + 1, .apart = 0};
  std::optional<std::string_view> best;
  for (const std::string_view candidate : candidates) {
    const std::string known = lower_case(candidate);
    const Distance distance{.edits = edits(wanted, known), .apart = apart(wanted, known)};
    if (distance >= least) continue;
    least = distance;
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
