// The manual page, made from the same tables as the help.
#pragma once

#include <span>
#include <string>

#include "tools/command.hpp"

namespace tilemeter {

/// tilemeter(1) in roff, with man's macros.
std::string manual_page(std::span<const Command> commands);

}  // namespace tilemeter
