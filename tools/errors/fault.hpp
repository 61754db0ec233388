// What a message about wrong input says, taken apart for programs.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/command.hpp"

namespace tilemeter {

/// The words of the command line after the subcommand, and the subcommand when it is known.
struct CommandWords {
  const Command* command = nullptr;
  std::vector<std::string> words;
};

/// The parts of one message. Each is absent where the message has none.
struct Fault {
  std::optional<std::string> option;      ///< "--sram", by the name that messages use
  std::optional<std::string> file;        ///< the file, or the part of it, that a key stands in
  std::optional<std::string> key;         ///< of a file, or of --set
  std::optional<std::string> value;       ///< what was found
  std::optional<std::string> accepted;    ///< in words
  std::optional<std::string> suggestion;  ///< what may have been meant
  std::vector<std::string> choices;       ///< of `accepted`, where that is a list of words
};

/// Messages are built alike ("--x VALUE: expected ...", "FILE: KEY: found VALUE; expected ..."), so that they can be
/// read back; a value is taken whole from the command line where the message begins with it.
Fault fault_of(std::string_view message, const CommandWords& given);

}  // namespace tilemeter
