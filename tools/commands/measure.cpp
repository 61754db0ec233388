#include <algorithm>
#include <array>

#include "model/date.hpp"
#include "tools/commands/all.hpp"
#include "tools/commands/shared.hpp"
#include "tools/commit.hpp"
#include "tools/gpu.hpp"
#include "tools/log.hpp"
#include "tools/measure/bench.hpp"
#include "tools/measure/plan.hpp"
#include "tools/measure/points.hpp"
#include "tools/measure/render.hpp"
#include "tools/options/choice.hpp"
#include "tools/options/point_options.hpp"
#include "tools/options/text.hpp"
#include "tools/sweep/interrupt.hpp"

namespace tilemeter {
namespace {

enum class Caches { cold, warm, both };
constexpr std::array<Choice<Caches>, 3> caches = {
    {{"cold", Caches::cold}, {"warm", Caches::warm}, {"both", Caches::both}}};

constexpr std::array measure_options = {
    OptionSpec{"--kernel", "NAME", "which kernel; default the first that mirrors the algorithm and can run the point"}
        .among(known_kernels),
    OptionSpec{"--cache", "cold|warm|both", "what the L2 holds when a launch begins; default both"}.among(
        known_words<caches>),
    OptionSpec{"--sustained", "", "also 2 s of launches back to back, at the clock that the power limit leaves"},
    OptionSpec{"--profile", "", "one launch a point for ncu --profile-from-start off, after the gates, and no times"},
    OptionSpec{"--samples", "N", "of each time; default 30"},
    OptionSpec{"--seed", "N", "of the random inputs; default 1"},
};

constexpr std::string_view measure_example =
    "  tilemeter measure --kernel flash2_plain --seq 1024,2048 --heads 16 --head-dim 64 --dtype fp32 -o h200.json\n"
    "runs the kernel on this machine's GPU. Each point passes three gates before it is timed: its numbers agree with "
    "a\n"
    "reference in double precision, no output keeps a NaN, and its own traffic counters equal the simulator's ledger.\n"
    "Tile sizes that are not given are the kernel's; a list keeps points that the kernel does not run as rows.\n"
    "Ctrl-C ends after the point under way and writes what is done.";

Count count_between(const Arguments& arguments, std::string_view option, Count least, Count most, Count otherwise) {
  const auto text = arguments.find(option);
  return text ? parse_count(option, *text, least, most) : otherwise;
}

MeasureOptions asked_measurement(const Arguments& arguments) {
  constexpr Count least_samples = 5, most_samples = 10'000;
  MeasureOptions options;
  const auto text = arguments.find("--cache");
  const Caches wanted = text ? parse_choice("--cache", *text, caches) : Caches::both;
  options.cold = wanted != Caches::warm;
  options.warm = wanted != Caches::cold;
  options.sustained = arguments.has("--sustained");
  options.profile = arguments.has("--profile");
  for (const std::string_view timing : {"--cache", "--sustained", "--samples"}) {
    if (options.profile && arguments.has(timing)) {
      throw InputError("--profile: not together with " + std::string(timing) + ", since nothing is timed");
    }
  }
  options.samples = count_between(arguments, "--samples", least_samples, most_samples, options.samples);
  if (const auto seed = arguments.find("--seed")) {
    options.seed = static_cast<std::uint64_t>(parse_count("--seed", *seed, 0));
  }
  return options;
}

/// The device of --device, else the shipped one that the GPU is.
std::optional<Device> device_of(const MeasurePlan& plan, const MeasureSetting& setting) {
  return plan.request.device ? std::optional<Device>(*plan.request.device) : shipped_device(setting.gpu);
}

/// Runs one point; memory that the GPU does not have refuses a point of several.
void run_point(Bench& bench, Measurement& measurement, const std::optional<Device>& device, bool alone) {
  if (measurement.refusal) return;
  try {
    bench.run(measurement, device);
  } catch (const InputError& error) {
    if (alone) throw;
    measurement.refusal = error.what();
  }
}

void report_failures(const std::vector<Measurement>& measurements) {
  for (const Measurement& measurement : measurements) {
    if (measurement.failure) log_error(std::string(measurement.plan.kernel->name) + ": " + *measurement.failure);
  }
}

void write(const Target& target, const std::unique_ptr<PendingFile>& file, const Json& document,
           const PointGrid& grid) {
  const std::string text = render_measurements(target.format, document, grid);
  if (!file) return write_out(text);
  file->write(text);
  file->commit();
}

int run_measure(const Arguments& given) {
  const Target target = target_of(given);
  const MeasureOptions options = asked_measurement(given);
  auto [grid, measurements] = planned_points(given);
  Bench bench(options);
  const auto file = open_file(target);
  MeasureSetting setting = bench.setting();
  setting.arguments = given;
  setting.date = utc_now();
  setting.commit = source_commit;
  setting.device = device_of(measurements.front().plan, setting);
  const InterruptGuard guard;
  std::size_t done = 0;
  for (; done < measurements.size() && !InterruptGuard::requested(); ++done) {
    log_info("point " + std::to_string(done + 1) + " of " + std::to_string(measurements.size()));
    run_point(bench, measurements[done], device_of(measurements[done].plan, setting), measurements.size() == 1);
  }
  const bool interrupted = done < measurements.size();
  measurements.resize(done);
  write(target, file, measure_document(setting, measurements), grid);
  report_failures(measurements);
  if (interrupted) throw Interrupted("interrupted after " + std::to_string(done) + " points, which are written");
  const auto failed = [](const Measurement& measurement) { return measurement.failure.has_value(); };
  return std::any_of(measurements.begin(), measurements.end(), failed) ? 1 : 0;
}

}  // namespace

Command measure_command() {
  return {
      .name = "measure",
      .summary = "runs kernels on this machine's GPU: numbers, counted traffic and times of points",
      .example = measure_example,
      .words = "",
      .options = all_options({measure_options, point_option_specs(), output_option_specs(), logging_option_specs()}),
      .run = run_measure};
}

}  // namespace tilemeter
