// Which observations a fit sees, and which it must predict.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/validate/point.hpp"

namespace tilemeter::validation {

/// A way of parting observations. `kernel` is the one that predicts other projects' kernels from this project's.
enum class SplitName { none, all, length, dim, mask, kernel };

struct Split {
  SplitName name = SplitName::none;
  std::string_view word;
  std::string_view statement;  ///< what is fitted and what is predicted
};

/// All of them, in the order of the report.
std::span<const Split> splits();

/// Throws InputError that lists the names.
const Split& find_split(std::string_view word);

/// Steps of a kernel's ladder ("flash3_rung3") are predicted with the kernel's figures and never fitted; the kernel's
/// name, or nothing for others.
std::optional<std::string> ladder_of(std::string_view kernel);

/// What `split` makes of the time of each point; nothing where the split leaves it out: it has no time, it is on
/// neither side, or its kernel has nothing to fit.
std::vector<std::optional<Role>> roles_of(const Split& split, const std::vector<ValidatedPoint>& points);

}  // namespace tilemeter::validation
