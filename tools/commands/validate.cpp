#include <algorithm>
#include <array>
#include <filesystem>

#include "tools/commands/all.hpp"
#include "tools/commands/shared.hpp"
#include "tools/log.hpp"
#include "tools/options/choice.hpp"
#include "tools/options/device.hpp"
#include "tools/options/known.hpp"
#include "tools/sweep/pool.hpp"
#include "tools/tables/catalog.hpp"
#include "tools/tables/render.hpp"
#include "tools/validate/json.hpp"
#include "tools/validate/pins.hpp"
#include "tools/validate/render.hpp"
#include "traces/ncu.hpp"

namespace tilemeter {
namespace {

std::vector<std::string_view> known_split_names() {
  std::vector<std::string_view> words;
  for (const validation::Split& split : validation::splits()) words.push_back(split.word);
  return words;
}

std::vector<std::string_view> known_metrics() { return known_names<validation::metrics>(); }

constexpr std::array validate_options = {
    OptionSpec{"--device", "NAME|FILE.toml",
               "the GPU that was measured; a file of `probe` or `calibrate` is its figures"}
        .among(known_devices),
    OptionSpec{"--set", "KEY=VALUE", "changes a key of the device; may be repeated", Repeat::often}.among(
        known_settings),
    OptionSpec{"--split", "NAME",
               "what is fitted and what is predicted: none all length dim mask kernel; default none, no fit"}
        .among(known_split_names),
    OptionSpec{"--all", "", "every split in turn, and only what rows say together in tables"},
    OptionSpec{"--metric", "NAME,...",
               "only these: tensors edge_read edge_write l2_read l2_write dram_read dram_write time"}
        .among(known_metrics),
    OptionSpec{"--profile", "FILE.csv", "counters of anyone's kernel, from `ncu --csv --page raw`; with --kernel"},
    OptionSpec{"--kernel", "NAME|FILE.toml",
               "the description of the kernel of --profile, and what its launches compute"}
        .among(known_descriptions),
    OptionSpec{"--pins", "FILE.json",
               "fail where an error is over the pinned one by 0.3 points; written where there is none"},
    OptionSpec{"--renew", "", "write the file of --pins anew"},
    OptionSpec{"--closed-form", "",
               "bytes of device memory in closed form as well; default the engine's, where a point can be simulated"},
    OptionSpec{"--jobs,-j", "N", "threads; default all processors"},
};

constexpr std::string_view validate_example =
    "  tilemeter validate traces/measured/h200 --device traces/measured/h200/rates.toml --split length\n"
    "reads what was measured below a folder, fits each kernel where N <= 1024, predicts the longer ones, and sets "
    "every\n"
    "figure beside what was measured: bytes per tensor, bytes at the edge of the SMs, at the L2 and in device memory,\n"
    "time. Each metric has its own limit and verdict; a good time excuses no wrong traffic. Beside times stand those "
    "of\n"
    "a roofline and of a model without an L2. One document and some metrics:\n"
    "  tilemeter validate traces/measured/h200/kernels/flash1_n1024_d64.json --device "
    "traces/measured/h200/rates.toml --metric tensors,time\n"
    "Any kernel can be compared, from a profile and a description of its "
    "tiles:\n"
    "  ncu --csv --page raw --print-units base --metrics ... ./mine > mine.csv\n"
    "  tilemeter validate --profile mine.csv --kernel mine.toml --device h200\n"
    "Exit status 1: bytes per tensor are not exact, an error passed its pin, or counters that --metric asks for were\n"
    "not permitted. Other missed limits are shown.";

std::vector<validation::Metric> asked_metrics(const Arguments& arguments) {
  std::array<Choice<validation::Metric>, validation::metrics.size()> words{};
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = {name_of(validation::metrics[i]), validation::metrics[i]};
  const auto text = arguments.find("--metric");
  if (!text) return {validation::metrics.begin(), validation::metrics.end()};
  return parse_choices("--metric", *text, words);
}

std::vector<validation::Split> asked_splits(const Arguments& arguments) {
  const auto word = arguments.find("--split");
  if (!arguments.has("--all")) return {validation::find_split(word.value_or("none"))};
  if (word) throw InputError("--all contradicts --split " + *word + ": give one of them");
  return {validation::splits().begin(), validation::splits().end()};
}

std::size_t validate_threads(const Arguments& arguments) {
  constexpr Count most_threads = 1024;
  const auto jobs = arguments.find("-j");
  return jobs ? static_cast<std::size_t>(parse_count("-j", *jobs, 1, most_threads)) : default_threads();
}

/// Throws InputError for options that need one another or contradict each other.
void check_options(const Arguments& arguments) {
  const auto need = [&](const char* option, const char* other) {
    if (arguments.has(option) && !arguments.has(other)) {
      throw InputError(quote(option, *arguments.find(option)) + " needs " + other);
    }
  };
  need("--profile", "--kernel");
  need("--kernel", "--profile");
  if (arguments.has("--renew") && !arguments.has("--pins")) throw InputError("--renew needs --pins FILE");
  if (arguments.words().empty() && !arguments.has("--profile")) {
    throw InputError(
        "validate needs what was measured: a document of measure, a folder of them, or --profile FILE.csv with "
        "--kernel FILE.toml");
  }
}

std::vector<Observation> asked_observations(const Arguments& arguments, std::vector<std::string>& notes) {
  std::vector<Observation> observations = read_observations(arguments.words(), notes);
  if (const auto profile = arguments.find("--profile")) {
    const KernelDescription kernel = load_kernel(*arguments.find("--kernel"));
    for (Observation& observation : observe_profile(*profile, kernel, notes)) {
      observations.push_back(std::move(observation));
    }
  }
  return observations;
}

/// Holds the errors against the pins, or writes them down. Returns whether all pins hold.
bool pins_hold(const Arguments& arguments, const Json& document) {
  const auto path = arguments.find("--pins");
  if (!path) return true;
  std::error_code none;
  if (arguments.has("--renew") || !std::filesystem::exists(*path, none)) {
    write_result({.format = Format::json, .path = *path}, validation::text_of_pins(validation::pins_of(document)));
    log_warning("pins were written to " + *path);
    return true;
  }
  const std::vector<std::string> broken = validation::broken_pins(document, read_file("--pins", *path), *path);
  for (const std::string& line : broken) log_error("pin: " + line);
  if (!broken.empty()) {
    log_error("where this is meant, renew the pins: tilemeter validate ... --all --pins " + *path + " --renew");
  }
  return broken.empty();
}

/// The metrics of --metric that only a profiler counts and that no row has, since it was not permitted to: "edge_read".
std::string denied_metrics(const Arguments& arguments, const validation::Validation& made) {
  using validation::Metric;
  const auto denied = [](const std::string& text) {
    return text.find(to_text(NcuAbsence::denied)) != std::string::npos;
  };
  const bool any = std::any_of(made.notes.begin(), made.notes.end(), denied) ||
                   std::any_of(made.missing.begin(), made.missing.end(), denied);
  std::string names;
  if (!any || !arguments.has("--metric")) return names;
  for (const Metric metric : asked_metrics(arguments)) {
    const auto is_it = [&](const validation::Row& row) { return row.metric == metric; };
    if (metric == Metric::tensors || metric == Metric::time) continue;
    if (std::any_of(made.rows.begin(), made.rows.end(), is_it)) continue;
    names += (names.empty() ? "" : ",") + std::string(name_of(metric));
  }
  return names;
}

int run_validate(const Arguments& arguments) {
  const Target target = target_of(arguments);
  check_options(arguments);
  validation::Question question;
  question.splits = asked_splits(arguments);
  question.metrics = asked_metrics(arguments);
  question.device = std::make_shared<const Device>(measured_device(arguments, "validate"));
  question.all = arguments.has("--all");
  if (arguments.has("--closed-form")) question.memory = validation::MemoryBy::closed_form;
  question.threads = validate_threads(arguments);
  question.observations = asked_observations(arguments, question.notes);
  const validation::Validation made = validation::validated(std::move(question));
  Json document = validation::document_of(arguments, made);
  // What the paper measured belongs to the results, though no file holds its runs.
  if (arguments.has("--all"))
    document["reproductions"] = tables::tables_json(tables::make({tables::find_table("figure2")}));
  const auto shown = arguments.has("--all") ? validation::RowsShown::none : validation::RowsShown::all;
  const bool held = pins_hold(arguments, document);
  write_result(target, validation::rendered(target.format, document, shown));
  const bool failed = std::any_of(made.verdicts.begin(), made.verdicts.end(), validation::fails);
  if (failed) log_error("bytes per tensor by a kernel's own counters are not the predicted ones");
  const std::string denied = denied_metrics(arguments, made);
  if (!denied.empty()) log_error("--metric " + denied + ": " + std::string(to_text(NcuAbsence::denied)));
  return failed || !held || !denied.empty() ? 1 : 0;
}

}  // namespace

Command validate_command() {
  return {.name = "validate",
          .summary = "predicted against measured, per metric, with held-out errors and baselines",
          .example = validate_example,
          .words = "[PATH...]",
          .options = all_options({validate_options, output_option_specs(), logging_option_specs()}),
          .run = run_validate};
}

}  // namespace tilemeter
