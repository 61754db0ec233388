// Command lines read as the program reads them, short of running a subcommand.
#pragma once

#include <string>
#include <vector>

namespace tilemeter::fuzz {

/// Parses `words` (without the program's name) and, for a subcommand that takes points, reads their options and checks
/// the first and the last point. Runs nothing and writes nothing. Throws InputError for what is wrong.
void read_command_line(const std::vector<std::string>& words);

}  // namespace tilemeter::fuzz
