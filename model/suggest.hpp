// "Did you mean ...": the known name that a misspelt one probably stands for.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilemeter {

/// The candidate with the fewest single-character edits from `name`, when they are at most a third of its length; of
/// several the one whose characters are nearest, so that flash4 means flash3. Case does not matter.
std::optional<std::string_view> closest(std::string_view name, const std::vector<std::string_view>& candidates);

/// ` (did you mean "x"?)`, or nothing when no candidate is close.
std::string suggestion(std::string_view name, const std::vector<std::string_view>& candidates);

/// The names separated by blanks.
std::string joined(const std::vector<std::string_view>& names);

/// `text` with A-Z as a-z; other bytes unchanged.
std::string lower_case(std::string_view text);

}  // namespace tilemeter
