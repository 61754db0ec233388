// The device files of model/devices, compiled into the program.
#pragma once

#include <span>
#include <string_view>

namespace tilemeter {

/// A device file: its name without ".toml", and its text.
struct ShippedDevice {
  std::string_view name;
  std::string_view toml;
};

/// All of them, in the order of model/CMakeLists.txt.
std::span<const ShippedDevice> shipped_devices();

}  // namespace tilemeter
