#include "tools/options/contradictions.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "sim/catalog.hpp"

namespace tilemeter {
namespace {

struct Pair {
  std::string_view first;
  std::string_view second;
  std::string_view why;
};

constexpr std::array contradicting = {
    Pair{"--seq", "--seq-q", "--seq gives both lengths; give --seq N, or --seq-q N --seq-k N"},
    Pair{"--seq", "--seq-k", "--seq gives both lengths; give --seq N, or --seq-q N --seq-k N"},
    Pair{"--segments", "--seq", "the file gives the lengths"},
    Pair{"--segments", "--seq-q", "the file gives the lengths"},
    Pair{"--segments", "--seq-k", "the file gives the lengths"},
    Pair{"--segments", "--batch", "each line of the file is one sequence"},
    Pair{"--mask", "--causal", "give the masks of a list as --mask none,causal"},
    Pair{"--mask", "--causal-top-left", "give the masks of a list as --mask none,causal_top_left"},
    Pair{"--mask", "--window", "give the masks of a list as --mask none,window:LEFT:RIGHT"},
    Pair{"--causal", "--causal-top-left", "a mask has one alignment; give one of them"},
    Pair{"--window", "--causal-top-left", "windows are bottom-right aligned; give one of them"},
    Pair{"--blocks", "--block-q", "give a rule, or --block-q BR --block-k BC"},
    Pair{"--blocks", "--chunk-q", "give a rule, or --chunk-q CQ --chunk-k CK"},
    Pair{"--blocks", "--chunk-k", "give a rule, or --chunk-q CQ --chunk-k CK"},
    Pair{"--blocks", "--block-k", "give a rule, or the sizes of a tile"},
    Pair{"--blocks", "--block-m", "give a rule, or --block-m BM --block-n BN --block-k BK"},
    Pair{"--blocks", "--block-n", "give a rule, or --block-m BM --block-n BN --block-k BK"},
};

/// `option` needs one of two others; `other` is empty where there is only one.
struct Need {
  std::string_view option;
  std::string_view needed;
  std::string_view other;
};

constexpr std::array needs = {
    Need{"--seq-q", "--seq-k", ""},     Need{"--seq-k", "--seq-q", ""},         Need{"--block-q", "--block-k", ""},
    Need{"--block-m", "--block-n", ""}, Need{"--block-m", "--block-k", ""},     Need{"--block-n", "--block-m", ""},
    Need{"--block-n", "--block-k", ""}, Need{"--blocks", "--sram", "--device"}, Need{"--set", "--device", ""},
};

std::string given(const Arguments& arguments, std::string_view option) {
  const std::string value = arguments.find(option).value_or("");
  return std::string(option) + (value.empty() ? "" : " " + value);
}

/// What --block-k needs beside it to be a tile of an algorithm; empty when nothing is missing.
std::string missing_beside_block_k(const Arguments& arguments, const Algorithm& algorithm) {
  switch (algorithm.order()) {
    case LoopOrder::product:
      return arguments.has("--block-m") ? "" : "--block-m and --block-n";
    case LoopOrder::pieces:
      return "";
    default:
      return arguments.has("--block-q") ? "" : "--block-q";
  }
}

/// --block-k must complete a tile of at least one algorithm.
void refuse_lone_block_k(const Arguments& arguments, std::span<const Algorithm* const> algorithms) {
  if (!arguments.has("--block-k")) return;
  const auto is_complete = [&](const Algorithm* algorithm) {
    return missing_beside_block_k(arguments, *algorithm).empty();
  };
  if (algorithms.empty() || std::ranges::any_of(algorithms, is_complete)) return;
  throw InputError(given(arguments, "--block-k") + " needs " + missing_beside_block_k(arguments, *algorithms.front()));
}

}  // namespace

void refuse_contradictions(const Arguments& arguments, std::span<const Algorithm* const> algorithms) {
  refuse_lone_block_k(arguments, algorithms);
  for (const Pair& pair : contradicting) {
    if (!arguments.has(pair.first) || !arguments.has(pair.second)) continue;
    throw InputError(given(arguments, pair.first) + " contradicts " + given(arguments, pair.second) + ": " +
                     std::string(pair.why));
  }
  for (const Need& need : needs) {
    if (!arguments.has(need.option) || arguments.has(need.needed)) continue;
    if (!need.other.empty() && arguments.has(need.other)) continue;
    throw InputError(given(arguments, need.option) + " needs " + std::string(need.needed) +
                     (need.other.empty() ? "" : " or " + std::string(need.other)));
  }
}

}  // namespace tilemeter
