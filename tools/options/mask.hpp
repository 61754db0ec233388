// Masks on the command line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/problem.hpp"

namespace tilemeter {

/// The kinds that --mask takes; "window:" goes on with its two sides.
std::vector<std::string_view> known_masks();

/// The masks of `--mask none,causal,causal_top_left,window:LEFT:RIGHT`. Throws InputError.
std::vector<Mask> parse_masks(std::string_view option, std::string_view text);

/// The mask of `--window LEFT,RIGHT`; -1 is unlimited, other negatives are refused. Throws InputError.
Mask parse_window(std::string_view option, std::string_view text);

/// A causal mask that also ends on the left: the window with right = 0. Throws InputError when the window looks ahead.
Mask causal_window(const Mask& window);

/// The mask as `--mask` takes it: "window:100:0".
std::string to_string(const Mask& mask);

}  // namespace tilemeter
