// What a message says would be accepted.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilemeter {

struct Accepted {
  std::optional<std::string> words;  ///< "an integer from 1 to 2^63 - 1"
  std::vector<std::string> choices;  ///< where the words are a list
};

Accepted accepted_in(std::string_view message);

/// X of `did you mean "X"?`.
std::optional<std::string> suggestion_in(std::string_view message);

}  // namespace tilemeter
