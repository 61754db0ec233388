#include <array>
#include <optional>

#include "tools/commands/all.hpp"
#include "tools/commands/answers.hpp"
#include "tools/commands/shared.hpp"
#include "tools/log.hpp"
#include "tools/options/point_options.hpp"
#include "tools/options/text.hpp"
#include "tools/output/columns.hpp"
#include "tools/output/list.hpp"
#include "tools/sweep/ranks/agree.hpp"
#include "tools/sweep/ranks/alone.hpp"
#include "tools/sweep/ranks/ranks.hpp"
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
    "shows how many points are done, how fast, and the time left. `mpirun -n 8` before the command shares the points "
    "among\n"
    "eight processes, on one machine or several; this program was ";

std::string_view sweep_help() {
  static const std::string text = std::string(sweep_example) + std::string(ranks_note()) + ".";
  return text;
}

std::size_t worker_threads(const Arguments& arguments) {
  constexpr Count most_threads = 1024;
  const auto jobs = arguments.find("-j");
  if (!jobs) return default_threads();
  const Count threads = parse_count("-j", *jobs, 1);
  if (threads > most_threads)
    throw InputError("-j " + *jobs + " is too large: expected 1 to " + std::to_string(most_threads));
  return static_cast<std::size_t>(threads);
}

/// A sweep whose input was read.
struct SweepQuestion {
  RunOptions options;
  std::size_t threads = 1;
  PointGrid grid;
};

SweepQuestion sweep_question(const Arguments& arguments) {
  const RunOptions options = run_options_of(arguments);
  const std::size_t threads = worker_threads(arguments);
  PointGrid grid = point_grid(arguments, "sweep", Several::many);
  return {.options = options, .threads = threads, .grid = std::move(grid)};
}

/// The same, checked, with the place that its points go to.
struct Prepared {
  Target target;
  SweepQuestion question;
};

Prepared prepared_of(const Arguments& arguments) {
  Target target = target_of(arguments);
  if (arguments.has("--resume") && !target.path)
    throw InputError("--resume needs -o FILE, the file that was not finished");
  SweepQuestion question = sweep_question(arguments);
  check_all(question.grid, question.options);
  return {.target = std::move(target), .question = std::move(question)};
}

int run_sweep(const Arguments& arguments) {
  const std::unique_ptr<Ranks> ranks = join_ranks();
  if (ranks->rank() > 0) set_verbosity(Verbosity::silent);
  std::optional<Prepared> prepared;
  SweepIdentity identity;
  const auto prepare = [&] {
    prepared.emplace(prepared_of(arguments));
    identity = identity_of(arguments);
    return identity.version + ", " + identity.command_line + ", files " + std::to_string(identity.inputs);
  };
  if (!agree(*ranks, prepare)) return 0;
  const Sweep sweep{.ranks = *ranks,
                    .grid = prepared->question.grid,
                    .head = list_document("sweep", arguments, prepared->question.grid),
                    .options = prepared->question.options,
                    .threads = prepared->question.threads,
                    .bar = arguments.has("-q") ? Bar::hidden : bar_for_terminal()};
  if (!prepared->target.path) return sweep_to_output(sweep, prepared->target.format);
  return sweep_to_file(sweep, prepared->target, identity, arguments.has("--resume") ? Start::resumed : Start::fresh);
}

}  // namespace

CommandAnswer sweep_answer(const Arguments& arguments, const SweepReader& reader) {
  const SweepQuestion question = sweep_question(arguments);
  constexpr std::size_t points_a_sign = 1000;
  check_all(question.grid, question.options, [&reader, checked = std::size_t{0}]() mutable {
    if (reader.stop()) return false;
    if (checked++ % points_a_sign == 0) reader.progress();
    return true;
  });
  Alone ranks;
  const Sweep sweep{.ranks = ranks,
                    .grid = question.grid,
                    .head = list_document("sweep", arguments, question.grid),
                    .options = question.options,
                    .threads = question.threads,
                    .bar = Bar::hidden};
  const auto text = [&](const Json& point, std::size_t) {
    reader.wait();
    return (reader.reads == SweepReads::points ? point : row_of(point, point_columns())).dump();
  };
  const Swept swept = sweep_to_stream(
      sweep,
      {.text = text, .take = reader.take, .progress = [&](std::size_t) { reader.progress(); }, .stop = reader.stop});
  CommandAnswer answer{.document = sweep.head};
  if (swept.failures > 0) answer.failures.push_back(failures_message(swept.failures));
  return answer;
}

Command sweep_command() {
  return {.name = "sweep",
          .summary = "the same over ranges of budgets, tiles, lengths, masks, algorithms, devices",
          .example = sweep_help(),
          .words = "",
          .options = all_options(
              {point_option_specs(), run_option_specs(), sweep_options, output_option_specs(), logging_option_specs()}),
          .run = run_sweep};
}

}  // namespace tilemeter
