// The kernel descriptions of model/kernels, compiled into the program.
#pragma once

#include <span>
#include <string_view>

namespace tilemeter {

/// A kernel description: its file's name without ".toml", and its text.
struct ShippedKernel {
  std::string_view name;
  std::string_view toml;
};

/// All of them, in the order of model/CMakeLists.txt.
std::span<const ShippedKernel> shipped_kernels();

}  // namespace tilemeter
