// Scripts that complete command lines of tilemeter in a shell.
#pragma once

#include <span>
#include <string>

#include "tools/command.hpp"

namespace tilemeter {

std::string bash_completions(std::span<const Command> commands);
std::string zsh_completions(std::span<const Command> commands);
std::string fish_completions(std::span<const Command> commands);

}  // namespace tilemeter
