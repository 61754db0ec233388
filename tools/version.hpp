// The version of the program, as CMake's project states it.
#pragma once

#include <string_view>

namespace tilemeter {

inline constexpr std::string_view program_version = TILEMETER_VERSION;

}  // namespace tilemeter
