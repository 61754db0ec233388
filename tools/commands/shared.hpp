// What several subcommands do alike.
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <span>

#include "tools/command.hpp"
#include "tools/log.hpp"
#include "tools/options/axis.hpp"
#include "tools/output/target.hpp"
#include "tools/point.hpp"

namespace tilemeter {

/// --mode and --seed.
std::span<const OptionSpec> run_option_specs();
/// Throws InputError.
RunOptions run_options_of(const Arguments& arguments);

/// -q, -v and --color, which every command takes.
std::span<const OptionSpec> logging_option_specs();
/// Throws InputError for both at once, and for one more than twice.
Verbosity verbosity_of(const Arguments& arguments);

/// The options of several groups in one list.
std::vector<OptionSpec> all_options(std::initializer_list<std::span<const OptionSpec>> groups);

/// NAME of "show NAME"; nothing when no words were given. Throws InputError for other words; `who` is the subcommand.
std::optional<std::string> word_to_show(const Arguments& arguments, std::string_view who);

/// The command line of the subcommand `who`, for records.
std::string command_line_of(const Arguments& arguments, std::string_view who);

/// The file of -o, open; nullptr for standard output. Throws InputError when it cannot be written, or when an
/// interrupted sweep waits in its place.
std::unique_ptr<PendingFile> open_file(const Target& target);

/// Writes a whole result where `target` says. Throws as open_file.
void write_result(const Target& target, std::string_view text);

/// Checks every point of a grid before any is counted, and warns of long numeric runs. `go_on`, where given, is asked
/// before each point; false ends the checks. Throws InputError.
void check_all(const PointGrid& grid, const RunOptions& options, const std::function<bool()>& go_on = {});

}  // namespace tilemeter
