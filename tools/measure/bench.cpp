#include "tools/measure/bench.hpp"

#include <cmath>

#include "kernels/gate.hpp"
#include "kernels/gpu_clocks.hpp"
#include "kernels/present.hpp"
#include "sim/catalog.hpp"
#include "sim/reference.hpp"

namespace tilemeter {
namespace {

constexpr Seconds sustained_time{2};

/// Every visit of a key tile rounds an output that is read back in a type of less than 32 bits.
double rounding_growth(const Algorithm& algorithm, const Case& point) {
  const double growth = tolerance_growth(algorithm, point);
  if (algorithm.formula().output != OutputType::read_back || size_of(point.problem.o_dtype) >= 4) return growth;
  return growth * std::sqrt(static_cast<double>(ceil_div(point.problem.seq_k, point.tiling.block_k)));
}

kernels::GateSettings gate_settings(const Measurement& measurement, std::uint64_t seed) {
  const Algorithm& algorithm = *measurement.plan.request.algorithm;
  const Case& point = measurement.plan.point;
  return {.seed = seed,
          .empty_lse = empty_lse_of(algorithm, point.options),
          .tolerance_growth = tolerance_growth(algorithm, point),
          .rounding_growth = rounding_growth(algorithm, point)};
}

}  // namespace

struct Bench::Machine {
  explicit Machine(const MeasureOptions& wanted)
      : options(wanted), gpu(kernels::gpu_info()), timer(kernels::clock_reader(gpu)) {
    if (options.profile) return;
    if (options.cold) empty_cold = timer.empty_launch(CacheState::cold);
    if (options.warm) empty_warm = timer.empty_launch(CacheState::warm);
  }

  void check(Measurement& measurement, kernels::OperandMemory& memory);
  void time(Measurement& measurement, kernels::OperandMemory& memory, const std::optional<Device>& device);

  MeasureOptions options;
  kernels::GpuInfo gpu;
  kernels::Timer timer;
  std::optional<Seconds> empty_cold, empty_warm;
};

/// Numbers and counters; a failure leaves no time to take.
void Bench::Machine::check(Measurement& measurement, kernels::OperandMemory& memory) {
  const auto& [kernel, request, point, refusal] = measurement.plan;
  measurement.gate =
      kernels::pass_gate(*kernel, point, memory, gate_settings(measurement, options.seed), timer.stream());
  if (measurement.gate.failure) {
    measurement.failure = "wrong numbers: " + *measurement.gate.failure;
    return;
  }
  memory.reset(timer.stream());
  measurement.counted = kernel->count(memory.tensors(), point, timer.stream());
  const auto differs = difference(*measurement.counted, measurement.bill.counted);
  if (differs) measurement.failure = "the kernel's counters: " + *differs;
  if (!measurement.bill.equal()) measurement.failure = "the ledger differs from the closed form";
}

void Bench::Machine::time(Measurement& measurement, kernels::OperandMemory& memory,
                          const std::optional<Device>& device) {
  const auto& [kernel, request, point, refusal] = measurement.plan;
  kernels::TimedWork work{.launch = [&](kernels::Stream stream) { kernel->launch(memory.tensors(), point, stream); }};
  if (kernel->prepare != nullptr) {
    work.prepare = [&](kernels::Stream stream) { kernel->prepare(memory.tensors(), point, stream); };
  }
  if (options.profile) {
    measurement.profiled_kernels = timer.profile(work);
    return;
  }
  const LaunchDemand demand = demand_of(measurement.bill);
  const DevicePeaks peaks = peaks_of(device, point.problem.dtype, gpu);
  const auto add = [&](Regime regime, const TimedSamples& samples) {
    const TimeSummary summary = summarise(samples);
    measurement.times.push_back({regime, summary, judge(summary, demand, peaks)});
    const auto& invalid = measurement.times.back().verdict.invalid;
    if (invalid) measurement.failure = "invalid " + std::string(name_of(regime)) + " time: " + *invalid;
  };
  try {
    if (options.cold) add(Regime::cold, timer.sample(work, CacheState::cold, options.samples));
    if (options.warm) add(Regime::warm, timer.sample(work, CacheState::warm, options.samples));
    if (options.sustained) add(Regime::sustained, timer.sustain(work, sustained_time));
  } catch (const NoValidSamples& none) {
    measurement.failure = none.what();
  }
}

Bench::Bench(const MeasureOptions& options) {
  if (const auto reason = kernels::missing_device()) throw InputError("measure needs a GPU: " + *reason);
  machine_ = std::make_unique<Machine>(options);
}

Bench::~Bench() = default;

MeasureSetting Bench::setting() const {
  return {.gpu = machine_->gpu,
          .seed = machine_->options.seed,
          .flush = machine_->timer.flush_size(),
          .empty_cold = machine_->empty_cold,
          .empty_warm = machine_->empty_warm};
}

void Bench::run(Measurement& measurement, const std::optional<Device>& device) {
  kernels::OperandMemory memory(*measurement.plan.kernel, measurement.plan.point, machine_->options.seed);
  machine_->check(measurement, memory);
  if (!measurement.failure) machine_->time(measurement, memory, device);
}

}  // namespace tilemeter
