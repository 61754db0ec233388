// Random command lines, made of the tables of options.
#pragma once

#include <random>
#include <string>
#include <vector>

namespace tilemeter::fuzz {

/// A command line without the program's name: a subcommand, and some of its options with values that are right, that
/// belong to other options, or that are wrong anywhere. The same for the same state of `random`, on every system.
std::vector<std::string> random_command_line(std::mt19937_64& random);

}  // namespace tilemeter::fuzz
