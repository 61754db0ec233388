// Lists and ranges of values: "a,b,c", "from:to:*2", "from:to:+64".
#pragma once

#include <string_view>
#include <vector>

#include "tools/options/size.hpp"

namespace tilemeter {

/// The most values that one option may stand for.
inline constexpr std::size_t most_values = 1'000'000;

/// Every integer that `text` stands for, in its order; `to` is included when the steps reach it. Throws InputError that
/// names `option` for a value below `minimum`, from > to, a step that does not advance, a value that stands there
/// twice, or more than most_values values.
std::vector<Count> parse_counts(std::string_view option, std::string_view text, Count minimum);

/// The same over sizes; from, to and an arithmetic step share their unit: "16KiB:256KiB:*2",
/// "12500el:50000el:+12500el".
std::vector<Size> parse_sizes(std::string_view option, std::string_view text);

}  // namespace tilemeter
