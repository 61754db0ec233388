#include <algorithm>
#include <array>

#include "model/register_use.hpp"
#include "sim/catalog.hpp"
#include "tools/commands/all.hpp"
#include "tools/commands/answers.hpp"
#include "tools/commands/shared.hpp"
#include "tools/options/choice.hpp"
#include "tools/options/point_options.hpp"
#include "tools/options/range.hpp"
#include "tools/options/text.hpp"
#include "tools/tune/emission.hpp"
#include "tools/tune/json.hpp"
#include "tools/tune/render.hpp"

namespace tilemeter {
namespace {

constexpr std::array<Choice<TuneBy>, 2> measures = {{{"traffic", TuneBy::traffic}, {"time", TuneBy::time}}};

constexpr std::array tune_options = {
    OptionSpec{"--by", "traffic|time",
               "what is least; time needs --device, and ranks the sizes that kernels use; default traffic"}
        .among(known_words<measures>),
    OptionSpec{"--simulate", "K",
               "by time: how many of the fastest in closed form the engine runs, which then rank by its time (at most "
               "about a second each); default 16"},
    OptionSpec{"--top", "K", "tilings in the list of the best; default 5"},
    OptionSpec{"--warps", "W,...", "warps of a block that candidates may have; default 4,8"},
    OptionSpec{"--rejected", "", "list every rejected candidate, also those that a smaller one explains"},
    OptionSpec{"--triton", "", "only print the candidates of powers of two that fit, as triton.Config"},
    OptionSpec{"--cutlass", "", "only print the candidates that fit, as cute::Shape"},
};

/// Options of a point that tune decides itself, or that hold no single problem.
constexpr std::array decided = {"--blocks", "--block-q", "--block-k", "--no-capacity", "--segments"};

constexpr std::string_view tune_example =
    "  tilemeter tune --algorithm flash1,flash2 --seq 4096 --head-dim 64 --sram 50000el\n"
    "finds that K/V outer moves least with tiles of 1 x 386 (9,355,264 elements) and Q outer with 380 x 1\n"
    "(6,295,552), among all sizes; then the front of traffic against memory, and which of the sizes that kernels\n"
    "use fit. With --device the limits are shared memory and registers, and sizes multiples of 16:\n"
    "  tilemeter tune --algorithm flash2 --seq 4096 --head-dim 128 --device a100-80gb --triton\n"
    "By time, sizes and stages that kernels use are timed in closed form, and the 16 fastest by the engine, whose "
    "times\n"
    "are those that `predict` calls simulated:\n"
    "  tilemeter tune --algorithm flash2 --seq 1024 --head-dim 128 --device h200 --by time";

std::vector<OptionSpec> point_options() {
  std::vector<OptionSpec> specs;
  for (const OptionSpec& spec : point_option_specs()) {
    if (std::find(decided.begin(), decided.end(), spec.name()) == decided.end()) specs.push_back(spec);
  }
  return specs;
}

TuneBy asked_measure(const Arguments& arguments) {
  const auto by = arguments.find("--by");
  return by ? parse_choice("--by", *by, measures) : TuneBy::traffic;
}

std::size_t asked_simulations(const Arguments& arguments, TuneBy by) {
  constexpr Count most_simulated = 1000;
  const auto asked = arguments.find("--simulate");
  if (!asked) return TuneOptions{}.simulate;
  if (by != TuneBy::time) throw InputError(quote("--simulate", *asked) + " needs --by time");
  return static_cast<std::size_t>(parse_count("--simulate", *asked, 0, most_simulated));
}

TuneOptions asked_tuning(const Arguments& arguments) {
  constexpr Count most_shown = 1000;
  constexpr Count most_warps = most_block_threads / warp_threads;
  TuneOptions options;
  options.by = asked_measure(arguments);
  options.simulate = asked_simulations(arguments, options.by);
  if (const auto top = arguments.find("--top")) {
    options.top = static_cast<std::size_t>(parse_count("--top", *top, 1, most_shown));
  }
  if (const auto warps = arguments.find("--warps")) {
    options.warps = parse_counts("--warps", *warps, 1);
    std::sort(options.warps.begin(), options.warps.end());
    if (options.warps.back() > most_warps) {
      throw InputError(quote("--warps", *warps) + ": expected 1 to " + std::to_string(most_warps));
    }
  }
  return options;
}

std::vector<TuneResult> results_of(const PointGrid& grid, const TuneOptions& options) {
  constexpr std::size_t most_results = 1000;
  if (grid.size() > most_results) {
    throw InputError("the options stand for " + std::to_string(grid.size()) + " budgets and algorithms: tune takes " +
                     std::to_string(most_results));
  }
  std::vector<TuneResult> results;
  for (std::size_t i = 0; i < grid.size(); ++i) results.push_back(tune(grid[i], options));
  const auto refused = [](const TuneResult& result) { return result.point.refusal.has_value(); };
  if (std::all_of(results.begin(), results.end(), refused)) throw InputError(*results.front().point.refusal);
  return results;
}

enum class Emission { none, triton, cutlass };

Emission emission_of(const Arguments& arguments) {
  const bool triton = arguments.has("--triton");
  if (!triton && !arguments.has("--cutlass")) return Emission::none;
  const char* given = triton ? "--triton" : "--cutlass";
  if (triton && arguments.has("--cutlass")) throw InputError("--triton contradicts --cutlass: give one of them");
  if (const auto format = arguments.find("--format")) {
    throw InputError(std::string(given) + " contradicts --format " + *format + ": the list is text; json has it as \"" +
                     (given + 2) + "\"");
  }
  return triton ? Emission::triton : Emission::cutlass;
}

/// The target of a list, whatever its extension: "configs.py".
Target text_target(const Arguments& arguments) {
  Target target;
  target.path = arguments.find("-o");
  if (target.path) require_writable(*target.path);
  return target;
}

/// One list a result, under a comment that says whose it is.
std::string emitted(const std::vector<TuneResult>& results, Emission emission) {
  std::string text;
  for (const TuneResult& result : results) {
    const PointRequest& request = result.point.request;
    text += std::string(emission == Emission::triton ? "# " : "// ") + std::string(request.algorithm->name) + ", d " +
            std::to_string(result.point.problem.head_dim) + ", within " + result.point.budget.owner + "\n";
    const auto lines = emission == Emission::triton ? triton_configs(result) : cutlass_shapes(result);
    for (const std::string& line : lines) text += line + (emission == Emission::triton ? ",\n" : "\n");
  }
  return text;
}

/// The results of a question, and what the best of them have least of.
struct TuneAnswer {
  std::vector<TuneResult> results;
  TuneBy by = TuneBy::traffic;
};

TuneAnswer tuned(const Arguments& arguments) {
  const TuneOptions options = asked_tuning(arguments);
  const PointGrid grid = point_grid(arguments, "tune", Several::one_problem);
  return {.results = results_of(grid, options), .by = options.by};
}

int run_tune(const Arguments& arguments) {
  const Emission emission = emission_of(arguments);
  const Target target = emission == Emission::none ? target_of(arguments) : text_target(arguments);
  const auto [results, by] = tuned(arguments);
  const Rejected rejected = arguments.has("--rejected") ? Rejected::all : Rejected::smallest;
  const std::string text = emission == Emission::none
                               ? render_tune(target.format, tune_document(arguments, results, by), rejected)
                               : emitted(results, emission);
  write_result(target, text);
  return 0;
}

}  // namespace

CommandAnswer tune_answer(const Arguments& arguments) {
  const auto [results, by] = tuned(arguments);
  return {.document = tune_document(arguments, results, by)};
}

Command tune_command() {
  return {.name = "tune",
          .summary = "the tilings of least traffic or time that truly fit a budget or a device, and why others do not",
          .example = tune_example,
          .words = "",
          .options = all_options({point_options(), tune_options, output_option_specs(), logging_option_specs()}),
          .run = run_tune};
}

}  // namespace tilemeter
