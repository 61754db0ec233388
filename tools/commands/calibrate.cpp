#include <algorithm>
#include <array>

#include "model/date.hpp"
#include "model/suggest.hpp"
#include "tools/calibrate/render.hpp"
#include "tools/commands/all.hpp"
#include "tools/commands/shared.hpp"
#include "tools/commit.hpp"
#include "tools/gpu.hpp"
#include "tools/log.hpp"
#include "tools/options/device.hpp"
#include "tools/options/known.hpp"
#include "tools/options/text.hpp"
#include "tools/output/overlay.hpp"

namespace tilemeter {
namespace {

constexpr std::array calibrate_options = {
    OptionSpec{"--device", "NAME|FILE.toml", "the GPU that was measured; best a file of `tilemeter probe`"}.among(
        known_devices),
    OptionSpec{"--set", "KEY=VALUE", "changes a key of the device; may be repeated", Repeat::often}.among(
        known_settings),
    OptionSpec{"--kernel", "NAME,...", "fit these alone, of the kernels that have times"}.among(known_descriptions),
    OptionSpec{"--max-seq", "N", "fit only times of at most so many keys, so that longer ones can be predicted"},
};

constexpr std::string_view calibrate_example =
    "  tilemeter calibrate traces/measured/h200 --device traces/measured/h200/rates.toml -o h200.fits.toml\n"
    "fits, for each kernel, the few figures by which it falls short of the rates that `probe` measured, by robust "
    "least\n"
    "squares with an expectation for each, and writes them as a device overlay beside those rates. `predict --device\n"
    "h200.fits.toml --kernel flash3 ...` then gives a time with its interval. Without -o, a table: value, 95 % "
    "interval,\n"
    "whether the data or the expectation say it, and the errors that are left:\n"
    "  tilemeter calibrate traces/measured/h200/kernels --device traces/measured/h200/rates.toml --kernel flash3 "
    "--max-seq 4096";

/// Keeps the observations of the kernels of --kernel.
void keep_kernels(const Arguments& arguments, std::vector<Observation>& observations) {
  const auto text = arguments.find("--kernel");
  if (!text) return;
  const auto names = list_items("--kernel", *text);
  for (const std::string_view name : names) {
    const bool known = std::any_of(observations.begin(), observations.end(),
                                   [&](const Observation& o) { return o.time && o.kernel == name; });
    if (known) continue;
    std::vector<std::string_view> timed;
    for (const Observation& o : observations) {
      if (o.time) timed.push_back(o.kernel);
    }
    throw InputError(quote("--kernel", name) + suggestion(name, timed) +
                     ": no time of it was measured among these documents");
  }
  std::erase_if(observations, [&](const Observation& observation) {
    return std::find(names.begin(), names.end(), observation.kernel) == names.end();
  });
}

std::vector<Observation> observations_of(const Arguments& arguments, std::vector<std::string>& notes) {
  if (arguments.words().empty()) {
    throw InputError("calibrate needs what was measured: documents of `tilemeter measure`, or a folder of them");
  }
  std::vector<Observation> observations = read_observations(arguments.words(), notes);
  keep_kernels(arguments, observations);
  if (const auto text = arguments.find("--max-seq")) {
    const Count most = parse_count("--max-seq", *text, 1);
    std::erase_if(observations,
                  [&](const Observation& observation) { return observation.request.problem.seq_k > most; });
  }
  return observations;
}

int run_calibrate(const Arguments& arguments) {
  const auto [overlay, target] = overlay_target(arguments, "calibrate");
  const Device device = measured_device(arguments, "calibrate");
  std::vector<std::string> notes;
  const std::vector<Observation> observations = observations_of(arguments, notes);
  Calibration calibration = calibrate(observations, device);
  calibration.notes.insert(calibration.notes.begin(), notes.begin(), notes.end());
  for (const std::string& note : calibration.notes) log_info(note);
  const CalibrationOrigin origin{.device = *arguments.find("--device"),
                                 .date = utc_now(),
                                 .command = command_line_of(arguments, "calibrate"),
                                 .commit = std::string(source_commit)};
  write_result(target, overlay ? fit_overlay(calibration, device, origin)
                               : render_calibration(calibration, origin, target.format));
  return 0;
}

}  // namespace

Command calibrate_command() {
  return {.name = "calibrate",
          .summary = "fits what kernels reach of a device's rates to measured times, each figure with its interval",
          .example = calibrate_example,
          .words = "PATH...",
          .options = all_options({calibrate_options, output_option_specs(), logging_option_specs()}),
          .run = run_calibrate};
}

}  // namespace tilemeter
