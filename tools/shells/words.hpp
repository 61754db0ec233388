// What a shell may complete, read from the table of subcommands.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/command.hpp"

namespace tilemeter {

/// What may stand in one place of a command line.
struct Completion {
  std::vector<std::string_view> words;
  bool files = false;

  bool empty() const { return words.empty() && !files; }
  friend bool operator==(const Completion&, const Completion&) = default;
};

/// Values of an option.
Completion values_of(const OptionSpec& option);

/// Words of a subcommand that are no options.
Completion words_of(const Command& command);

/// Whether the first word of a subcommand is "show", and a name follows it.
bool shows_names(const Command& command);

/// The names of an option, "--output" and "-o".
std::vector<std::string_view> names_of(const OptionSpec& option);

/// The names of all options of a subcommand, --help with them.
std::vector<std::string_view> option_names_of(const Command& command);

/// Words with blanks between them.
std::string blank_separated(const std::vector<std::string_view>& words);

}  // namespace tilemeter
