// Bytes that a profiler saw, summed over launches that are one computation.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/validate/observation.hpp"
#include "traces/ncu.hpp"

namespace tilemeter {

/// Launches of an export in its order, used and refused ones alike.
struct SeenLaunch {
  Count id = 0;
  std::string kernel;
  const NcuLaunch* launch = nullptr;  ///< absent when it was refused
  std::string refusal;                ///< why
};
std::vector<SeenLaunch> launches_of(const NcuExport& profile);

/// The export in a file. Throws InputError: it cannot be read, or as `read_ncu`.
NcuExport read_profile(const std::string& path);

/// "mine.csv: not measured: counter permission ..." of an export in which the driver refused every counter; nothing of
/// others.
std::optional<std::string> denial_of(const NcuExport& profile, const std::string& name);

/// Writes the sums of `launches` into `observation`, and why a sum is missing: a launch that was refused, a metric that
/// was not collected.
void add_profile(const std::vector<SeenLaunch>& launches, Observation& observation);

}  // namespace tilemeter
