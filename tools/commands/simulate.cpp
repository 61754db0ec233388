#include <array>

#include "tools/commands/all.hpp"
#include "tools/options/choice.hpp"
#include "tools/options/kernel_option.hpp"
#include "tools/options/point_options.hpp"
#include "tools/time/json.hpp"
#include "tools/time/options.hpp"
#include "tools/time/render.hpp"
#include "tools/time/run.hpp"
#include "traces/chrome.hpp"

namespace tilemeter {
namespace {

constexpr std::array<Choice<Waves>, 2> waves_words = {{{"folded", Waves::folded}, {"all", Waves::all}}};
constexpr std::array engine_options = {
    OptionSpec{"--trace", "FILE", "also writes a timeline for the Perfetto and chrome://tracing viewers"},
    OptionSpec{"--trace-sms", "K", "SMs in the timeline; default 2"},
    OptionSpec{"--waves", "folded|all", "simulates equal waves of blocks once, or all of them; default folded"}.among(
        known_words<waves_words>),
};

constexpr std::string_view simulate_example =
    "  tilemeter simulate --algorithm flash3 --seq 4096 --heads 16 --head-dim 128 --dtype bf16 --device h200 --trace "
    "flash3.json\n"
    "runs the blocks on the SMs: bytes in and out, busy time of each unit, memory on chip and waits of every SM; "
    "flash3.json opens in ui.perfetto.dev.";

EngineOptions engine_options_of(const Arguments& arguments) {
  constexpr Count most_sms = 100000;
  EngineOptions options;
  if (const auto waves = arguments.find("--waves")) options.waves = parse_choice("--waves", *waves, waves_words);
  const auto sms = arguments.find("--trace-sms");
  if (sms && !arguments.has("--trace")) throw InputError("--trace-sms " + *sms + " needs --trace FILE");
  if (!arguments.has("--trace")) return options;
  options.traced_sms = sms ? static_cast<int>(parse_count("--trace-sms", *sms, 1, most_sms)) : 2;
  return options;
}

/// As `require_writable`, which speaks of -o.
void require_trace(const std::string& path) {
  try {
    require_writable(path);
  } catch (const InputError& error) {
    const std::string said = error.what();
    throw InputError(said.starts_with("-o ") ? "--trace" + said.substr(2) : said);
  }
}

/// The file of --trace. Throws InputError when it cannot be written.
std::optional<std::string> trace_path(const Arguments& arguments, const Target& target) {
  const auto path = arguments.find("--trace");
  if (!path) return std::nullopt;
  if (path->empty()) throw InputError("--trace: expected the name of a file");
  if (path == target.path) throw InputError("--trace " + *path + ": -o writes the same file; choose another name");
  require_trace(*path);
  return path;
}

void write_trace(const std::string& path, const Timeline& timeline) {
  PendingFile file(path, partial_path(path));
  std::string pieces;
  constexpr std::size_t flushed_at = 1 << 16;
  write_chrome_trace(timeline, [&](std::string_view piece) {
    pieces += piece;
    if (pieces.size() < flushed_at) return;
    file.write(pieces);
    pieces.clear();
  });
  file.write(pieces);
  file.commit();
}

int run_simulate(const Arguments& arguments) {
  const Target target = target_of(arguments);
  const EngineOptions options = engine_options_of(arguments);
  const auto trace = trace_path(arguments, target);
  const auto simulated = simulated_points(arguments, "simulate", options, Beyond::refused);
  if (trace && simulated.size() > 1) throw InputError("--trace " + *trace + " takes one algorithm, not several");
  Json points = Json::array();
  for (const SimulatedPoint& point : simulated) {
    points.push_back(simulated_point_json(point));
    points.back()["sms"] = simulated_sms_json(*point.simulated);
    points.back()["events"] = point.simulated->events;
  }
  if (trace) write_trace(*trace, simulated.front().simulated->timeline);
  write_result(target, render_timed(target.format, "simulate", arguments, points));
  return 0;
}

}  // namespace

Command simulate_command() {
  return {.name = "simulate",
          .summary = "a discrete-event run on a device: counters of every SM, utilisation, waits, and a timeline",
          .example = simulate_example,
          .words = "",
          .options = all_options({point_option_specs(), kernel_option_specs(), execution_option_specs(), engine_options,
                                  output_option_specs(), logging_option_specs()}),
          .run = run_simulate};
}

}  // namespace tilemeter
