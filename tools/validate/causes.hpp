// Differences between predicted and measured bytes whose cause is known. They are named, and excuse nothing.
#pragma once

#include <string_view>

#include "tools/validate/row.hpp"

namespace tilemeter::validation {

/// One clause on why `metric` of `kernel` is not the bill's, or empty.
std::string_view known_cause(std::string_view kernel, Metric metric);

}  // namespace tilemeter::validation
