#include "tools/commands/shared.hpp"

#include <algorithm>
#include <utility>

#include "model/suggest.hpp"
#include "tools/numeric_need.hpp"
#include "tools/options/choice.hpp"
#include "tools/output/colour.hpp"
#include "tools/sweep/journal.hpp"

namespace tilemeter {
namespace {

constexpr std::array<Choice<Mode>, 2> modes = {{{"count", Mode::count}, {"numeric", Mode::numeric}}};
constexpr std::array run_options = {
    OptionSpec{"--mode", "count|numeric",
               "numeric also computes with real numbers, of at most 8 GiB, and checks them; default count"}
        .among(known_words<modes>),
    OptionSpec{"--seed", "N", "of the random numbers of --mode numeric; default 1"},
};
constexpr std::array logging_options = {
    OptionSpec{"--quiet,-q", "", "log errors only; -qq nothing, the exit status says it", Repeat::often},
    OptionSpec{"--verbose,-v", "", "log what is done; -vv also with what", Repeat::often},
};

}  // namespace

std::span<const OptionSpec> run_option_specs() { return run_options; }
std::span<const OptionSpec> logging_option_specs() {
  static const std::vector<OptionSpec> specs = all_options({logging_options, colour_option_specs()});
  return specs;
}

Verbosity verbosity_of(const Arguments& arguments) {
  const auto times = [&](std::string_view option) {
    const auto& given = arguments.options();
    return std::count_if(given.begin(), given.end(), [&](const auto& each) { return each.option == option; });
  };
  const auto quiet = times("-q");
  const auto verbose = times("-v");
  if (quiet > 0 && verbose > 0) throw InputError("-q contradicts -v: expected one of them");
  for (const auto& [option, count] : {std::pair{"-q", quiet}, std::pair{"-v", verbose}}) {
    if (count > 2)
      throw InputError(std::string(option) + " is given " + std::to_string(count) + " times: expected at most twice");
  }
  if (quiet > 0) return quiet == 1 ? Verbosity::quiet : Verbosity::silent;
  if (verbose > 0) return verbose == 1 ? Verbosity::verbose : Verbosity::detailed;
  return Verbosity::normal;
}

RunOptions run_options_of(const Arguments& arguments) {
  RunOptions options;
  if (const auto mode = arguments.find("--mode")) options.mode = parse_choice("--mode", *mode, modes);
  if (const auto seed = arguments.find("--seed")) {
    options.seed = static_cast<std::uint64_t>(parse_count("--seed", *seed, 0));
    if (options.mode == Mode::count) throw InputError("--seed " + *seed + " needs --mode numeric");
  }
  return options;
}

std::vector<OptionSpec> all_options(std::initializer_list<std::span<const OptionSpec>> groups) {
  std::vector<OptionSpec> all;
  for (const auto& group : groups) all.insert(all.end(), group.begin(), group.end());
  return all;
}

std::optional<std::string> word_to_show(const Arguments& arguments, std::string_view who) {
  const std::vector<std::string>& words = arguments.words();
  if (words.empty()) return std::nullopt;
  if (words.size() == 2 && words[0] == "show") return words[1];
  if (words == std::vector<std::string>{"show"}) {
    throw InputError(std::string(who) + " show: expected a name after it; `tilemeter " + std::string(who) +
                     "` lists the names");
  }
  throw InputError(quote(who, words[0]) + suggestion(words[0], {"show"}) + ": expected " + std::string(who) +
                   " alone, or " + std::string(who) + " show NAME");
}

std::string command_line_of(const Arguments& arguments, std::string_view who) {
  std::string text = "tilemeter " + std::string(who);
  for (const std::string& word : arguments.spelled_out()) text += " " + word;
  return text;
}

std::unique_ptr<PendingFile> open_file(const Target& target) {
  if (!target.path) return nullptr;
  const std::string partial = partial_path(*target.path);
  if (is_journal(partial)) {
    throw InputError("-o " + *target.path + ": " + partial +
                     " holds an interrupted sweep; finish it with --resume or delete it");
  }
  return std::make_unique<PendingFile>(*target.path, partial);
}

void write_result(const Target& target, std::string_view text) {
  const auto file = open_file(target);
  if (!file) return write_out(text);
  file->write(text);
  file->commit();
}

void check_all(const PointGrid& grid, const RunOptions& options, const std::function<bool()>& go_on) {
  double numeric_seconds = 0;
  for (std::size_t i = 0; i < grid.size() && (!go_on || go_on()); ++i) numeric_seconds += check(grid[i], options);
  warn_of_long_numbers(numeric_seconds);
}

}  // namespace tilemeter
