// Whether this machine has a GPU to run on.
#pragma once

#include <optional>
#include <string>

namespace tilemeter::kernels {

/// Nothing when a CUDA device can be used; otherwise the reason, in one line. Never throws for a missing driver.
std::optional<std::string> missing_device();

}  // namespace tilemeter::kernels
