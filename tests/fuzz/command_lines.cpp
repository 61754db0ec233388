#include "tests/fuzz/command_lines.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "tools/command_line.hpp"
#include "tools/commands/shared.hpp"
#include "tools/options/kernel_option.hpp"
#include "tools/options/point_options.hpp"

namespace tilemeter::fuzz {
namespace {

struct Reader {
  std::string_view command;
  Several several;
};
constexpr std::array<Reader, 8> readers = {{{"count", Several::one_but_algorithms},
                                            {"sweep", Several::many},
                                            {"tune", Several::one_problem},
                                            {"occupancy", Several::many},
                                            {"predict", Several::many},
                                            {"simulate", Several::one_but_algorithms},
                                            {"roofline", Several::many},
                                            {"measure", Several::many}}};

void read_points(const Reader& reader, const Arguments& given) {
  const Arguments arguments = with_algorithm_of(described_kernel(given), given);
  const RunOptions options = run_options_of(arguments);
  const PointGrid grid = point_grid(arguments, reader.command, reader.several);
  check(grid[0], options);
  check(grid[grid.size() - 1], options);
}

/// The subcommands that may be meant: the one named, which saves building all; else all of them.
std::span<const Command> candidates(const std::vector<std::string>& words) {
  const std::vector<Command>& all = commands();
  for (const Command& command : all) {
    if (!words.empty() && command.name == words.front()) return {&command, 1};
  }
  return all;
}

}  // namespace

void read_command_line(const std::vector<std::string>& words) {
  std::vector<const char*> argv = {"tilemeter"};
  for (const std::string& word : words) argv.push_back(word.c_str());
  const auto parsed = parse_command_line(candidates(words), static_cast<int>(argv.size()), argv.data());
  const auto* invocation = std::get_if<Invocation>(&parsed);
  if (invocation == nullptr) return;
  const Arguments& arguments = invocation->arguments;
  const auto reader = std::find_if(readers.begin(), readers.end(),
                                   [&](const Reader& r) { return r.command == invocation->command->name; });
  if (reader == readers.end()) return;
  target_of(arguments);
  read_points(*reader, arguments);
}

}  // namespace tilemeter::fuzz
