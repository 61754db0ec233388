#include <algorithm>
#include <array>

#include "model/date.hpp"
#include "model/quantity.hpp"
#include "model/suggest.hpp"
#include "tools/commands/all.hpp"
#include "tools/commands/shared.hpp"
#include "tools/commit.hpp"
#include "tools/gpu.hpp"
#include "tools/log.hpp"
#include "tools/measure/measurement.hpp"
#include "tools/options/known.hpp"
#include "tools/options/text.hpp"
#include "tools/output/listing.hpp"
#include "tools/output/overlay.hpp"
#include "tools/probe/overlay.hpp"
#include "tools/probe/render.hpp"
#include "tools/sweep/interrupt.hpp"

namespace tilemeter {
namespace {

std::vector<std::string_view> known_probes() {
  std::vector<std::string_view> words;
  for (const kernels::Probe& probe : kernels::probes()) words.push_back(probe.name);
  return words;
}

constexpr std::array probe_options = {
    OptionSpec{"--only", "NAME,...", "these probes; `probe list` names them"}.among(known_probes),
    OptionSpec{"--quick", "", "fewer repetitions, and shorter runs at load"},
    OptionSpec{"--device", "NAME", "the shipped device that an overlay changes; default the one that the GPU is"}.among(
        known_devices),
};

constexpr std::string_view probe_example =
    "  tilemeter probe -o h200.rates.toml\n"
    "measures this machine's GPU in about a minute and writes a device overlay: every figure with its unit, 95 % "
    "interval,\n"
    "SM clock, date and command. `--device h200.rates.toml` reads it wherever a device is asked for. Without -o, or "
    "with\n"
    "another format, the figures alone: --only hbm,l2 --format json. What there is to choose from:\n"
    "  tilemeter probe list";

std::vector<const kernels::Probe*> probes_of(const Arguments& arguments) {
  std::vector<const kernels::Probe*> chosen;
  const auto only = arguments.find("--only");
  if (!only) {
    for (const kernels::Probe& probe : kernels::probes()) chosen.push_back(&probe);
    return chosen;
  }
  for (const std::string_view name : list_items("--only", *only)) chosen.push_back(&kernels::probe_named(name));
  return chosen;
}

kernels::ProbeSettings settings_of(const Arguments& arguments, const kernels::GpuInfo& gpu) {
  kernels::ProbeSettings settings{.gpu = gpu};
  if (!arguments.has("--quick")) return settings;
  settings.repetitions = 4;
  settings.sustained = {1.3};
  return settings;
}

/// The device of --device, which must be a shipped one: an overlay names its base.
std::optional<Device> named_device(const Arguments& arguments, bool overlay) {
  const auto name = arguments.find("--device");
  if (!name) return std::nullopt;
  if (!overlay) throw InputError(quote("--device", *name) + ": only an overlay changes a device; add -o FILE.toml");
  if (name->find('/') != std::string::npos || name->ends_with(".toml")) {
    throw InputError(quote("--device", *name) +
                     ": expected the name of a shipped device; `tilemeter devices` lists them");
  }
  return load_device(*name);
}

Device require_base(const std::optional<Device>& named, const kernels::GpuInfo& gpu) {
  if (named) return *named;
  if (auto shipped = shipped_device(gpu)) return *std::move(shipped);
  throw InputError("no shipped device is " + in_quotes(gpu.name) +
                   ": an overlay needs one that it changes; name it with --device, or take another --format");
}

ProbeRun run_all(const Arguments& arguments, const kernels::GpuInfo& gpu) {
  ProbeRun run{.gpu = gpu,
               .date = utc_now(),
               .command = command_line_of(arguments, "probe"),
               .commit = std::string(source_commit),
               .outcomes = {}};
  const kernels::ProbeSettings settings = settings_of(arguments, gpu);
  const InterruptGuard guard;
  for (const kernels::Probe* probe : probes_of(arguments)) {
    if (InterruptGuard::requested()) throw Interrupted("interrupted: nothing is written");
    log_info("probe " + std::string(probe->name) + ": " + std::string(probe->measures));
    run.outcomes.push_back(run_probe(*probe, settings));
  }
  return run;
}

int run_list(const Arguments& arguments) {
  Listing listing{.command = "probe", .key = "probes", .columns = {"name", "measures", "figures"}, .rows = {}};
  for (const kernels::Probe& probe : kernels::probes()) {
    const auto& keys = probe_keys();
    const auto count = std::count_if(keys.begin(), keys.end(),
                                     [&](const ProbeKey& key) { return kernels::belongs_to(key.key, probe); });
    listing.rows.push_back({std::string(probe.name), std::string(probe.measures), std::to_string(count)});
  }
  write_listing(listing, arguments);
  return 0;
}

bool asks_for_list(const Arguments& arguments) {
  const std::vector<std::string>& words = arguments.words();
  if (words.empty()) return false;
  if (words.size() == 1 && words[0] == "list") return true;
  throw InputError(quote("probe", words[0]) + suggestion(words[0], {"list"}) + ": expected probe alone, or probe list");
}

int run_probe_command(const Arguments& arguments) {
  if (asks_for_list(arguments)) return run_list(arguments);
  const OverlayTarget target = overlay_target(arguments, "probe");
  probes_of(arguments);
  const std::optional<Device> named = named_device(arguments, target.overlay);
  const kernels::GpuInfo gpu = require_gpu("probe");
  const std::optional<Device> base = target.overlay ? std::optional<Device>(require_base(named, gpu)) : std::nullopt;
  const auto file = open_file(target.target);
  const ProbeRun run = run_all(arguments, gpu);
  const std::string text = base ? overlay_text(run, *base) : render_probes(run, target.target.format);
  if (!file) {
    write_out(text);
  } else {
    file->write(text);
    file->commit();
  }
  int status = 0;
  for (const ProbeOutcome& outcome : run.outcomes) {
    if (!outcome.failure) continue;
    log_error(*outcome.failure);
    status = 1;
  }
  return status;
}

}  // namespace

Command probe_command() {
  return {.name = "probe",
          .summary = "micro-benchmarks of this machine's GPU: its measured rates, as a device overlay file",
          .example = probe_example,
          .words = "[list]",
          .options = all_options({probe_options, output_option_specs(), logging_option_specs()}),
          .run = run_probe_command,
          .known = [] { return std::vector<std::string_view>{"list"}; }};
}

}  // namespace tilemeter
