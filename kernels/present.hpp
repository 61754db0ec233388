// Whether this machine has a GPU to run on, whether a kernel can use it, and how large it is.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tilemeter::kernels {

/// Nothing when a CUDA device can be used; otherwise the reason, in one line. Never throws for a missing driver.
std::optional<std::string> missing_device();

/// Throws std::runtime_error, with the kernel's name and both compute capabilities, unless the current GPU runs code
/// for sm_90a.
void require_hopper(std::string_view kernel);

/// SMs of the current GPU.
int multiprocessors();

}  // namespace tilemeter::kernels
