#include <array>

#include "tools/commands/all.hpp"
#include "tools/commands/shared.hpp"
#include "tools/options/point_options.hpp"
#include "tools/options/text.hpp"
#include "tools/sweep/sweep.hpp"

namespace tilemeter {
namespace {

constexpr std::array sweep_options = {
    OptionSpec{"--jobs,-j", "N", "threads; default all processors"},
    OptionSpec{"--resume", "", "continue an interrupted sweep of the same command line, with -o"},
};

constexpr std::string_view sweep_example =
    "  tilemeter sweep --algorithm standard,flash1,flash2 --seq 4096 --head-dim 64 --sram 12500el:200000el:*2 -o "
    "m.csv\n"
    "counts three algorithms at five SRAM budgets, each with the largest tiles that fit. Ranges are a,b,c or\n"
    "from:to:*2 or from:to:+64; the last option changes fastest.\n"
    "  tilemeter sweep --algorithm flash2 --seq 1024:65536:*2 --causal --device a100-80gb,h200 -j 2 -o lengths.json\n"
    "A sweep that was interrupted goes on where it was with the same command line and --resume. On a terminal a bar\n"
    "shows how many points are done, how fast, and the time left.";

std::size_t worker_threads(const Arguments& arguments) {
  constexpr Count most_threads = 1024;
  const auto jobs = arguments.find("-j");
  if (!jobs) return default_threads();
  const Count threads = parse_count("-j", *jobs, 1);
  if (threads > most_threads)
    throw InputError("-j " + *jobs + " is too large: expected 1 to " + std::to_string(most_threads));
  return static_cast<std::size_t>(threads);
}

int run_sweep(const Arguments& arguments) {
  const Target target = target_of(arguments);
  if (arguments.has("--resume") && !target.path)
    throw InputError("--resume needs -o FILE, the file that was not finished");
  const RunOptions options = run_options_of(arguments);
  const std::size_t threads = worker_threads(arguments);
  const PointGrid grid = point_grid(arguments, "sweep", Values::many);
  check_all(grid, options);
  const Sweep sweep{.grid = grid,
                    .options = options,
                    .threads = threads,
                    .bar = arguments.has("-q") ? Bar::hidden : bar_for_terminal()};
  if (!target.path) return sweep_to_output(sweep, target.format);
  return sweep_to_file(sweep, target, identity_of(arguments),
                       arguments.has("--resume") ? Start::resumed : Start::fresh);
}

}  // namespace

Command sweep_command() {
  return {.name = "sweep",
          .summary = "the same over ranges of budgets, tiles, lengths, masks, algorithms, devices",
          .example = sweep_example,
          .words = "",
          .options = all_options(
              {point_option_specs(), run_option_specs(), sweep_options, output_option_specs(), logging_option_specs()}),
          .run = run_sweep};
}

}  // namespace tilemeter
