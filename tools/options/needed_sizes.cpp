#include "tools/options/needed_sizes.hpp"

#include <algorithm>
#include <array>

#include "sim/catalog.hpp"
#include "tools/options/text.hpp"

namespace tilemeter {
namespace {

/// The options that a computation without sequences cannot do without.
std::span<const std::string_view> needed_by(Computation computation) {
  static constexpr std::array gemm = {std::string_view("--m"), std::string_view("--n"), std::string_view("--k")};
  static constexpr std::array layer = {std::string_view("--tokens"), std::string_view("--d-in"),
                                       std::string_view("--d-out")};
  static constexpr std::array softmax = {std::string_view("--rows"), std::string_view("--cols")};
  static constexpr std::array chain = {std::string_view("--length")};
  switch (computation) {
    case Computation::gemm:
      return gemm;
    case Computation::layer:
      return layer;
    case Computation::softmax:
      return softmax;
    case Computation::chain:
      return chain;
    default:
      return {};
  }
}

constexpr std::array sequence_options = {
    std::string_view("--seq"),      std::string_view("--seq-q"),      std::string_view("--seq-k"),
    std::string_view("--head-dim"), std::string_view("--head-dim-v"), std::string_view("--heads"),
    std::string_view("--kv-heads"), std::string_view("--packed"),     std::string_view("--segments"),
    std::string_view("--mask"),     std::string_view("--causal"),     std::string_view("--causal-top-left"),
    std::string_view("--window"),   std::string_view("--stat-dtype"), std::string_view("--block-q"),
};

bool needs_length(const Algorithm* algorithm) { return has_sequences(algorithm->computation()); }

std::string with_last_and(std::span<const std::string_view> words) {
  if (words.size() == 1) return std::string(words.front());
  return join(words.first(words.size() - 1)) + " and " + std::string(words.back());
}

}  // namespace

void require_sizes(const Arguments& arguments, std::span<const Algorithm* const> algorithms, std::string_view who) {
  for (const Algorithm* algorithm : algorithms) {
    const auto needed = needed_by(algorithm->computation());
    const auto is_missing = [&](std::string_view option) { return !arguments.has(option); };
    if (std::ranges::any_of(needed, is_missing)) {
      throw InputError(std::string(who) + " " + std::string(algorithm->name) + " needs " + with_last_and(needed));
    }
  }
  if (std::ranges::none_of(algorithms, needs_length)) return;
  if (!arguments.has("--seq") && !arguments.has("--seq-q") && !arguments.has("--segments")) {
    throw InputError(std::string(who) + " needs a length: --seq N, or --seq-q N --seq-k N, or --segments FILE");
  }
}

void refuse_sequence_options(const Arguments& arguments, std::span<const Algorithm* const> algorithms) {
  if (std::ranges::any_of(algorithms, needs_length)) return;
  for (const std::string_view option : sequence_options) {
    if (!arguments.has(option)) continue;
    std::vector<std::string_view> names;
    for (const Algorithm* algorithm : algorithms) names.push_back(algorithm->name);
    std::vector<std::string_view> needed;
    for (const Algorithm* algorithm : algorithms) {
      for (const std::string_view own : needed_by(algorithm->computation())) needed.push_back(own);
    }
    throw InputError(std::string(option) + " is not an option of " + join(names) +
                     ": it belongs to attention; their sizes are " + with_last_and(needed));
  }
}

}  // namespace tilemeter
