// Names that the program knows, for OptionSpec::among: each list is read from its registry.
#pragma once

#include <string_view>
#include <vector>

namespace tilemeter {

std::vector<std::string_view> known_algorithms();
std::vector<std::string_view> known_devices();
/// Keys of a device file as --set begins with them: "sm.count=".
std::vector<std::string_view> known_settings();
/// Descriptions of kernels, as `predict --kernel` takes them.
std::vector<std::string_view> known_descriptions();

}  // namespace tilemeter
