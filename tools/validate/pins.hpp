// Errors as they stood when they were last written down, so that no change makes one worse unnoticed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/json.hpp"

namespace tilemeter::validation {

/// An error may grow by so much, in points of per cent, before its pin fails.
inline constexpr double pin_slack_points = 0.3;

/// The mean and largest error of each summary of a validation, as per cent with two decimals.
Json pins_of(const Json& document);

/// The file of pins, one a line.
std::string text_of_pins(const Json& pins);

/// What is worse in `document` than in `pins` by more than the slack, or has gone, a line each; pins of splits and
/// metrics that `document` does not have are passed over. Throws InputError that names `origin` for text that is no
/// file of pins.
std::vector<std::string> broken_pins(const Json& document, std::string_view pins, std::string_view origin);

}  // namespace tilemeter::validation
