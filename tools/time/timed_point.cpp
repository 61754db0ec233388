#include "tools/time/timed_point.hpp"

#include <algorithm>

#include "model/closed_form/catalog.hpp"
#include "model/geometry.hpp"
#include "sim/catalog.hpp"
#include "sim/time/alone.hpp"
#include "sim/time/kernel_works.hpp"
#include "sim/time/recorder.hpp"
#include "tools/measure/measurement.hpp"
#include "tools/resolve.hpp"

namespace tilemeter {
namespace {

Case case_of(const PointResult& result) {
  Case point{.problem = result.problem, .tiling = {}, .options = result.options, .shapes = result.shapes};
  if (result.tiling) point.tiling = *result.tiling;
  return point;
}

RooflineTime roofline_time(const PointResult& result) {
  const Device& device = *result.request.device;
  const Roofline peak = roofline_of(device, result.problem.dtype);
  const Cost cost{.flops = result.counted.matmul_flops, .hbm = result.compulsory.total().total_bytes()};
  const auto seconds = [&](const Roofline& roofline) -> std::optional<double> {
    const TimeBound bound = time_bound(roofline, cost);
    return bound.seconds ? std::optional(bound.seconds->value) : std::nullopt;
  };
  RooflineTime time{.peak = seconds(peak), .sustained = {}, .share = sustained_share(device)};
  if (time.share) time.sustained = seconds(at_share(peak, *time.share));
  time.binding = time_bound(peak, cost).binding;
  return time;
}

/// Adds the times of launches that follow.
void append(TimeEstimate& sum, TimeEstimate next) {
  if (sum.launches.empty()) {
    sum = std::move(next);
    return;
  }
  sum.seconds += next.seconds;
  sum.low += next.low;
  sum.high += next.high;
  sum.floor += next.floor;
  for (const Resource resource : resources) sum.bounds.at(resource) += next.bounds.at(resource);
  if (sum.kind == TimeKind::launch_bound && sum.seconds >= launch_bound_seconds) sum.kind = TimeKind::estimate;
  sum.launches.insert(sum.launches.end(), next.launches.begin(), next.launches.end());
}

/// Adds what the blocks take alone, where no formula says how their ops wait for each other. `kernels` are the launches
/// in order, equal neighbours as one. Every load has the mean latency of the whole, since what the L2 holds when a
/// block starts is not known.
void add_times_alone(const PointResult& result, const Case& point, const PreparedPoint& time, const DramEstimate& dram,
                     std::vector<KernelWork>& kernels) {
  const Algorithm& algorithm = *result.request.algorithm;
  if (streams_keys(algorithm.name) || !has_blocks(algorithm.name) || time.rates.fit) return;
  MachineRates rates = time.rates;
  const double edge = static_cast<double>(result.counted.total().read_bytes.value());
  const double misses = edge > 0 ? std::min(1.0, static_cast<double>(dram.read.value()) / edge) : 1;
  rates.l2_latency += misses * (rates.hbm_latency - rates.l2_latency);
  rates.hbm_latency = rates.l2_latency;
  const Recording recording = record(algorithm, point, result.budget);
  const auto clocks = clocks_alone(recording, time.execution, *result.request.device, rates);
  std::size_t launch = 0;
  for (KernelWork& kernel : kernels) {
    kernel.alone = clocks.at(launch);
    launch += static_cast<std::size_t>(kernel.launch.times);
  }
}

/// What the kernels do by their own ops; by formula where there are too many blocks to look at.
std::optional<std::vector<KernelWork>> counted_kernels_of(const PointResult& result, const Case& point,
                                                          const PreparedPoint& time) {
  return counted_kernels(*result.request.algorithm, point, result.budget, time.execution, *result.request.device,
                         time.rates);
}

std::vector<KernelWork> kernels_by_formula(const PointResult& result, const Case& point, const PreparedPoint& time) {
  const Algorithm& algorithm = *result.request.algorithm;
  const Bytes hbm = compulsory(algorithm.name, point).total().total_bytes();
  return kernel_works(algorithm.name, point, time.execution, *result.request.device, closed_form(algorithm.name, point),
                      hbm);
}

/// Gives each kernel its part of what the L2 lets through, in the proportion of the bytes that it touches.
void share_out(const DramEstimate& dram, std::vector<KernelWork>& kernels) {
  double touched = 0;
  for (const KernelWork& kernel : kernels) touched += static_cast<double>(kernel.hbm.value());
  if (touched <= 0) return;
  const double scale = static_cast<double>((dram.read + dram.write).value()) / touched;
  for (KernelWork& kernel : kernels) {
    kernel.hbm = Bytes(static_cast<Count>(static_cast<double>(kernel.hbm.value()) * scale));
  }
}

/// Blocks that run at once of the kernel that moves most, and how many of the streams they belong to.
Concurrency concurrency_of(const std::vector<KernelWork>& kernels, const PreparedPoint& time) {
  const auto most = std::max_element(kernels.begin(), kernels.end(), [](const KernelWork& a, const KernelWork& b) {
    return a.amounts.edge_read < b.amounts.edge_read;
  });
  Concurrency concurrency{.resident = checked::multiply(time.rates.sms, most->resident),
                          .fastest = time.execution.fastest,
                          .rows = time.execution.rows};
  if (!most->launch.blocks || most->launch.blocks->blocks() == 0) return concurrency;
  LaunchBlocks blocks = *most->launch.blocks;
  if (time.execution.fastest == FastestIndex::streams) blocks.stream = {BlockRun{}};  // each of another stream
  concurrency.active = active_share(blocks, concurrency.resident);
  return concurrency;
}

/// What the kernels say that the L2 lets through, and what of it stays there.
DramEstimate dram_of(std::vector<KernelWork>& kernels) {
  DramEstimate sum;
  for (KernelWork& kernel : kernels) {
    sum.read += kernel.dram.read;
    sum.write += kernel.dram.write;
    kernel.hbm = kernel.dram.read + kernel.dram.write;
  }
  sum.left_dirty = std::min(sum.write, kernels.back().dram.left_dirty);
  sum.write = sum.write - sum.left_dirty;
  return sum;
}

/// Whether the kernels of `algorithm` that multiply do so for tiles of queries and keys.
bool visits_tiles(std::string_view algorithm) {
  const Computation computation = formula_of(algorithm).computation;
  const bool pairs = computation == Computation::attention || computation == Computation::gradients;
  return pairs && has_blocks(algorithm);
}

PreparedPart prepare_part(const PointResult& result, const Case& point, const PreparedPoint& time) {
  const std::string_view name = result.request.algorithm->name;
  const auto counted = counted_kernels_of(result, point, time);
  auto kernels = counted ? *counted : kernels_by_formula(result, point, time);
  DramEstimate dram;
  if (counted && !knows_order(name, point)) {
    dram = dram_of(kernels);
  } else {
    dram = estimate_dram(name, point, concurrency_of(kernels, time), time.rates.l2_capacity);
    share_out(dram, kernels);
  }
  if (visits_tiles(name)) {
    for (KernelWork& kernel : kernels) {
      if (kernel.amounts.products > Flops(0)) kernel.cut_tiles = cut_tiles(point.problem, point.tiling);
    }
  }
  if (counted) add_times_alone(result, point, time, dram, kernels);
  return {.point = point, .kernels = std::move(kernels), .hbm = dram};
}

void add(SmTime& sum, const SmTime& other) {
  sum.blocks = checked::add(sum.blocks, other.blocks);
  sum.traffic += other.traffic;
  sum.shared_peak = std::max(sum.shared_peak, other.shared_peak);
  for (std::size_t i = 0; i < sm_unit_count; ++i) sum.busy[i] += other.busy[i];
  for (std::size_t i = 0; i < wait_count; ++i) sum.waits[i] += other.waits[i];
  sum.working += other.working;
  sum.resident += other.resident;
}

/// `next` after `sum`.
void append(Simulated& sum, Simulated next) {
  for (Span& span : next.timeline.spans) {
    span.begin += sum.time;
    span.end += sum.time;
  }
  sum.time += next.time;
  sum.launches.insert(sum.launches.end(), next.launches.begin(), next.launches.end());
  sum.sms.resize(std::max(sum.sms.size(), next.sms.size()));
  for (std::size_t i = 0; i < next.sms.size(); ++i) add(sum.sms[i], next.sms[i]);
  sum.levels += next.levels;
  sum.timeline.title = next.timeline.title;
  sum.timeline.spans.insert(sum.timeline.spans.end(), next.timeline.spans.begin(), next.timeline.spans.end());
  sum.events = checked::add(sum.events, next.events);
}

}  // namespace

std::vector<Case> cases_of(const PointResult& result) { return parts_of(result.request, case_of(result)); }

PreparedPoint prepare(const PointResult& result, const ChooseExecution& choose) {
  const Device& device = *result.request.device;
  PreparedPoint time;
  time.execution = choose(result.request.algorithm->name, case_of(result), device);
  time.rates = machine_rates(device, time.execution, result.problem.dtype);
  time.roofline = roofline_time(result);
  time.peak = peak_at(device, result.problem.dtype, Hertz{time.rates.clock_hz});
  for (const Case& part : cases_of(result)) time.parts.push_back(prepare_part(result, part, time));
  if (time.execution.matrix == MatrixPath::scalar && result.counted.matmul_flops.value() > 0) {
    time.notes.push_back("products on the fma pipe: no matrix unit of " + device.name + " is known to take " +
                         std::string(name_of(result.problem.dtype)));
  }
  if (result.request.segments) {
    time.notes.push_back("segments: one launch after the other; a kernel that takes them together is faster");
  }
  return time;
}

TimeEstimate time_of(const PreparedPoint& prepared, std::string_view algorithm, const MachineRates& rates) {
  TimeEstimate estimate;
  for (const PreparedPart& part : prepared.parts) {
    append(estimate, time_estimate(algorithm, part.point, prepared.execution, rates, part.kernels));
  }
  estimate.notes.insert(estimate.notes.end(), prepared.notes.begin(), prepared.notes.end());
  return estimate;
}

TimedPoint timed(const PointResult& result, const ChooseExecution& choose) {
  PreparedPoint prepared = prepare(result, choose);
  TimedPoint time;
  time.estimate = time_of(prepared, result.request.algorithm->name, prepared.rates);
  for (const PreparedPart& part : prepared.parts) {
    time.hbm.read += part.hbm.read;
    time.hbm.write += part.hbm.write;
    time.hbm.left_dirty += part.hbm.left_dirty;
  }
  time.clock = {prepared.rates.clock_hz};
  time.execution = std::move(prepared.execution);
  time.rates = std::move(prepared.rates);
  time.roofline = prepared.roofline;
  time.peak = prepared.peak;
  return time;
}

Simulated simulated(const PointResult& result, const TimedPoint& time, const EngineOptions& options) {
  Simulated all;
  for (const Case& part : cases_of(result)) {
    Recording recording = record(*result.request.algorithm, part, result.budget);
    if (time.execution.tails == Tails::padded) pad_tails(recording);
    append(all, simulate(recording, time.execution, *result.request.device, time.rates, options));
  }
  return all;
}

std::optional<double> share_of_peak(const PointResult& result, const TimedPoint& time, double seconds) {
  if (!time.peak || seconds <= 0) return std::nullopt;
  return static_cast<double>(useful_flops(result).value()) / seconds / time.peak->value;
}

}  // namespace tilemeter
