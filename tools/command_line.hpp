// From argc and argv to one subcommand and its arguments.
#pragma once

#include <span>
#include <string>
#include <variant>

#include "tools/command.hpp"

namespace tilemeter {

/// A subcommand to run.
struct Invocation {
  const Command* command = nullptr;
  Arguments arguments;
};

/// Text to print instead: the guide, a help page, the version.
struct Page {
  std::string text;
};

/// Reads the command line against `table`. Throws InputError for an unknown command or option (naming the nearest one),
/// a missing value, or a repeated option.
std::variant<Invocation, Page> parse_command_line(std::span<const Command> table, int argc, const char* const* argv);

}  // namespace tilemeter
