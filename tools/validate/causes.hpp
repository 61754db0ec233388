// Differences between what is predicted and measured whose cause is known, or supposed. They are named, and excuse
// nothing.
#pragma once

#include <string_view>

#include "tools/validate/row.hpp"

namespace tilemeter::validation {

/// An error of device memory or time above this is one to explain.
inline constexpr double error_to_explain = 0.1;

/// One clause on why `metric` of `kernel` is not what is predicted, or empty.
std::string_view known_cause(std::string_view kernel, Metric metric);

}  // namespace tilemeter::validation
