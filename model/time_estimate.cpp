#include "model/time_estimate.hpp"

#include <algorithm>

#include "model/closed_form/catalog.hpp"
#include "model/footprint.hpp"
#include "model/occupancy.hpp"

namespace tilemeter {
namespace {

constexpr Count warpgroup = 4;          ///< warps
constexpr double barriers_of_step = 2;  ///< K and V have arrived; their tiles are free

Count rows_of(const Case& point) { return std::min(point.tiling.block_q, std::max<Count>(1, point.problem.rows())); }
Count keys_of(const Case& point) { return std::min(point.tiling.block_k, std::max<Count>(1, point.problem.seq_k)); }

/// The longest of an SM's pipes and ports, products slowed down by scalar work beside them and scalar work by products.
double longest_unit(const TimeBounds& clocks, const MachineRates& rates) {
  TimeBounds loaded = clocks;
  const double products = clocks.at(Resource::tensor);
  if (products > 0) {
    loaded.at(Resource::tensor) += rates.stalls_tensor.exp * clocks.at(Resource::exp) +
                                   rates.stalls_tensor.fma * clocks.at(Resource::fma) +
                                   rates.stalls_tensor.alu * clocks.at(Resource::alu);
    loaded.at(Resource::exp) += rates.tensor_stalls.exp * products;
    loaded.at(Resource::fma) += rates.tensor_stalls.fma * products;
    loaded.at(Resource::alu) += rates.tensor_stalls.alu * products;
  }
  return loaded.largest();
}

double scalar_clocks(const TimeBounds& clocks) {
  return clocks.at(Resource::exp) + clocks.at(Resource::fma) + clocks.at(Resource::alu);
}

/// A step as a fit of the kernel has it: `clocks` of each unit for `steps` of them, `fixed` of latencies and copies.
StepEstimate fitted_step(const TimeBounds& clocks, double steps, double fixed, Count resident, const Efficiency& fit) {
  const double others = scalar_clocks(clocks);
  const double all = fit.step(clocks.at(Resource::tensor), clocks.at(Resource::shared), others);
  StepEstimate step;
  step.unit = std::max(all, clocks.at(Resource::l2)) / steps;
  step.chain = resident > 1 ? fit.alone * step.unit : step.unit;
  step.fixed = fit.block * fixed;
  step.cut = fit.masked * fit.scalar * others / steps;
  return step;
}

/// Of what a fit found hidden of a streaming pass, the share that stays so for other ways to run it. One warpgroup that
/// does one operation after the other has nothing to run under its products. Of several, a softmax runs under its own
/// group's products only where the two overlap, and groups that do not take turns ask for the tensor unit at the same
/// time: shares found on the ladder of flash3 (128 x 128, d 128, N 4096, without a mask; kernels/README.md).
double share_hidden(std::string_view algorithm, const Execution& execution) {
  constexpr double without_overlap = 0.6;
  constexpr double without_turns = 0.35;
  if (execution.matrix != MatrixPath::wgmma) return 1;
  const bool overlaps = algorithm == "flash3";
  if (execution.math_warps <= warpgroup) return overlaps ? 1 : 0;
  if (!overlaps) return without_overlap;
  return execution.turns == Turns::taken ? 1 : without_turns;
}

/// The operations of a step that wait for each other.
struct Chain {
  double products = 0;  ///< S = Q K^T and P V
  double softmax = 0;
  double load = 0;  ///< K, or V, with latency
};

Chain chain_of(const UnitAmounts& step, const Execution& execution, const MachineRates& rates) {
  const TimeBounds clocks = sm_clocks(step, rates, execution.matrix);
  UnitAmounts operands;
  operands.products = step.products;
  operands.shared = step.shared - step.edge_read;
  const Bytes half = Bytes(ceil_div(step.edge_read.value(), 2));
  Chain chain;
  chain.products = sm_clocks(operands, rates, execution.matrix).largest();
  // The maximum of a row is known before its first exponent: two thirds of the alu work come first.
  const double maxima = clocks.at(Resource::alu) * 2 / 3;
  chain.softmax = maxima + std::max({clocks.at(Resource::exp), static_cast<double>(step.fma) / rates.fma,
                                     clocks.at(Resource::alu) - maxima});
  chain.load = rates.l2_latency + static_cast<double>(half.value()) / rates.port;
  return chain;
}

/// What a block alone waits for in a step. With one stage K arrives while softmax and P V run, V while Q K^T and
/// softmax do; with more, everything that fits the ring has arrived.
double chain_clocks(const Chain& chain, const Execution& execution, Count stages, double barriers) {
  const double work = chain.products + chain.softmax + barriers;
  if (execution.overlap == Overlap::serial) return work + 2 * chain.load;
  if (stages > 1) return std::max(work, chain.load);
  const double behind = chain.softmax + chain.products / 2;
  return work + 2 * std::max(0.0, chain.load - behind);
}

/// flash3: S of the next tile is multiplied while this one's softmax runs, in each of the groups that share the rows.
double overlapped_clocks(const Chain& chain, double groups, double barriers) {
  return std::max(chain.products, (chain.products + chain.softmax) / groups) + barriers;
}

double fixed_clocks(const Case& point, const MachineRates& rates) {
  const Problem& problem = point.problem;
  const Bytes q = bytes_of(rows_of(point), problem.head_dim, problem.dtype);
  const Bytes o = bytes_of(rows_of(point), problem.head_dim_v, problem.dtype);
  return rates.hbm_latency + rates.l2_latency + static_cast<double>((q + o).value()) / rates.port;
}

double blocks_of(const KernelWork& kernel) {
  return static_cast<double>(kernel.launch.blocks->blocks()) * static_cast<double>(kernel.launch.times);
}

double most_work(const LaunchBlocks& blocks) {
  double most = 0;
  for (const BlockRun& run : blocks.stream) most = std::max(most, run.work);
  return most;
}

/// The step of a kernel from all it does, and from what its longest block takes alone where that is known.
StepEstimate mean_step(const KernelWork& kernel, const MachineRates& rates, MatrixPath path) {
  const double times = static_cast<double>(kernel.launch.times);
  const double work = kernel.launch.blocks->work() * times;
  const double steps = work > 0 ? work : 1;
  StepEstimate step;
  const TimeBounds clocks = sm_clocks(kernel.amounts, rates, path);
  step.fixed = rates.hbm_latency + rates.l2_latency;
  if (rates.fit) {
    const double copies = static_cast<double>(kernel.ends.value()) / (rates.port * blocks_of(kernel));
    return fitted_step(clocks, steps, step.fixed + copies, kernel.resident, *rates.fit);
  }
  step.unit = longest_unit(clocks, rates) / steps;
  step.chain = step.unit;
  const double longest = most_work(*kernel.launch.blocks);
  if (kernel.alone && longest > 0) step.chain = std::max(step.unit, (*kernel.alone - step.fixed) / longest);
  return step;
}

/// Blocks with their prologue and epilogue, and what is beside the steps of cut tiles, as work, so that a block takes
/// fixed + cut tiles x cut + tiles x step among `resident`.
LaunchBlocks with_fixed(const KernelWork& kernel, const StepEstimate& step) {
  LaunchBlocks blocks = *kernel.launch.blocks;
  const double each = SharedSpeed{.chain = step.chain, .unit = step.unit}.at(kernel.resident);
  if (each <= 0 || step.unit <= 0) return blocks;
  const double cut = kernel.cut_tiles * step.cut / (step.unit * static_cast<double>(blocks.blocks()));
  for (BlockRun& run : blocks.stream) run.work += step.fixed / each + cut;
  return blocks;
}

/// Whether neighbours read the same keys at the same time: blocks of a stream side by side, all with as much to do.
bool walks_in_step(std::string_view algorithm, const Case& point, const Execution& execution) {
  return streams_keys(algorithm) && point.problem.mask.kind == MaskKind::none &&
         execution.fastest == FastestIndex::blocks;
}

/// Seconds of the SMs for the blocks of a kernel.
double blocks_seconds(const KernelWork& kernel, const Execution& execution, const MachineRates& rates,
                      LaunchEstimate& launch) {
  const StepEstimate& step = *launch.step;
  const LaunchBlocks& blocks = *kernel.launch.blocks;
  const SmArray array{.sms = rates.sms,
                      .resident = kernel.resident,
                      .speed = {.chain = step.chain, .unit = step.unit},
                      .scheduling = execution.scheduling};
  const auto order = launch_order(with_fixed(kernel, step), execution.rows, execution.fastest);
  const BlockSchedule schedule = schedule_blocks(order, array);
  launch.imbalance = schedule.imbalance();
  const double ramp = rates.block_start * static_cast<double>(std::min(blocks.blocks(), rates.sms) - 1) / 2;
  return (ramp + schedule.end / rates.clock_hz) * static_cast<double>(kernel.launch.times);
}

bool is_empty(const KernelWork& kernel) { return kernel.amounts == UnitAmounts{} && kernel.hbm == Bytes(0); }

/// Fills the launch; adds what there is to say.
LaunchEstimate launch_estimate(std::string_view algorithm, const Case& point, const Execution& execution,
                               const MachineRates& rates, const KernelWork& kernel) {
  LaunchEstimate launch{.kernel = kernel.launch.kernel, .times = kernel.launch.times, .waves = {}, .step = {}};
  const TimeBounds bounds = time_bounds(kernel.amounts, kernel.hbm, rates, execution.matrix);
  double work = bounds.largest();
  if (has_blocks(algorithm) && kernel.launch.blocks && kernel.launch.blocks->blocks() > 0) {
    launch.waves = waves_of(kernel.launch.blocks->blocks(), rates.sms, kernel.resident);
  }
  if (launch.waves && !is_empty(kernel)) {
    const bool streams = streams_keys(algorithm) && kernel.amounts.products.value() > 0;
    launch.step = streams ? streaming_step(algorithm, point, execution, rates, kernel.resident)
                          : mean_step(kernel, rates, execution.matrix);
    const double memory = std::max(bounds.at(Resource::l2), bounds.at(Resource::hbm));
    const double blocks = blocks_seconds(kernel, execution, rates, launch);
    work = rates.fit ? rates.fit->together(blocks, bounds.at(Resource::l2), bounds.at(Resource::hbm),
                                           walks_in_step(algorithm, point, execution))
                     : std::max({blocks, memory, bounds.largest()});
  }
  const double each = rates.fit ? rates.fit->launch : rates.launch;
  launch.seconds = static_cast<double>(launch.times) * each + work;
  return launch;
}

void add_notes(std::string_view algorithm, TimeEstimate& estimate) {
  if (!has_blocks(algorithm)) {
    estimate.notes.push_back(std::string(algorithm) +
                             " has no tiles: each kernel takes its largest bound, as if it used the whole chip");
  }
  for (const LaunchEstimate& launch : estimate.launches) {
    if (!launch.waves && has_blocks(algorithm)) {
      estimate.notes.push_back("the blocks of " + launch.kernel +
                               " have no formula: its time is the largest bound, without waves, tails and latencies");
    } else if (auto note = launch.waves ? idle_sms_note(*launch.waves) : std::nullopt) {
      estimate.notes.push_back(launch.kernel + ": " + *note);
    }
  }
  if (estimate.kind == TimeKind::launch_bound) {
    estimate.notes.push_back("launch-bound: below 5 us the launch sets the time, not the work");
  }
}

TimeKind kind_of(const TimeEstimate& estimate) {
  if (estimate.seconds < launch_bound_seconds) return TimeKind::launch_bound;
  const auto idle = [](const LaunchEstimate& launch) { return launch.waves && !launch.waves->fills_sms(); };
  const auto longest =
      std::max_element(estimate.launches.begin(), estimate.launches.end(),
                       [](const LaunchEstimate& a, const LaunchEstimate& b) { return a.seconds < b.seconds; });
  return longest != estimate.launches.end() && idle(*longest) ? TimeKind::lower_bound : TimeKind::estimate;
}

}  // namespace

std::string_view name_of(TimeKind kind) {
  switch (kind) {
    case TimeKind::estimate:
      return "estimate";
    case TimeKind::lower_bound:
      return "lower bound";
    case TimeKind::launch_bound:
      return "launch-bound";
  }
  return "";
}

bool streams_keys(std::string_view algorithm) {
  const Formula& formula = formula_of(algorithm);
  return formula.computation == Computation::attention && formula.order == LoopOrder::q_outer;
}

bool has_blocks(std::string_view algorithm) { return formula_of(algorithm).order != LoopOrder::untiled; }

StepEstimate streaming_step(std::string_view algorithm, const Case& point, const Execution& execution,
                            const MachineRates& rates, Count resident) {
  const UnitAmounts amounts = step_amounts(point.problem, rows_of(point), keys_of(point), execution);
  const TimeBounds clocks = sm_clocks(amounts, rates, execution.matrix);
  const double fixed = fixed_clocks(point, rates);
  if (rates.fit) {
    Efficiency fit = *rates.fit;
    fit.hidden *= share_hidden(algorithm, execution);
    return fitted_step(clocks, 1, fixed, resident, fit);
  }
  const Chain chain = chain_of(amounts, execution, rates);
  const double barriers = barriers_of_step * rates.barrier;
  const double groups = execution.math_warps > 4 ? 2 : 1;
  const bool overlapped = algorithm == "flash3" && execution.overlap == Overlap::pipelined;
  StepEstimate step;
  step.unit = longest_unit(clocks, rates);
  step.chain = overlapped ? overlapped_clocks(chain, groups, barriers)
                          : chain_clocks(chain, execution, point.tiling.stages, barriers);
  step.fixed = fixed;
  return step;
}

Count resident_blocks(const std::vector<OnChipTile>& tiles, const Execution& execution, const Device& device) {
  if (execution.blocks_per_sm) return *execution.blocks_per_sm;
  const BlockPlan plan{.name = "", .tiles = tiles, .threads = execution.threads};
  return std::max<Count>(1, occupancy_of(plan, device).blocks);
}

std::vector<KernelWork> kernel_works(std::string_view algorithm, const Case& point, const Execution& execution,
                                     const Device& device, const Work& work, Bytes hbm) {
  std::vector<KernelWork> kernels;
  const auto tiles = on_chip_tiles_by_kernel(algorithm, point);
  for (KernelLaunch& launch : kernel_launches(algorithm, point)) {
    const auto own = std::find_if(tiles.begin(), tiles.end(),
                                  [&](const KernelTiles& kernel) { return kernel.kernel == launch.kernel; });
    const Count resident =
        resident_blocks(own == tiles.end() ? std::vector<OnChipTile>() : own->tiles, execution, device);
    kernels.push_back({.launch = std::move(launch), .amounts = {}, .resident = resident});
  }
  kernels.front().amounts = unit_amounts(algorithm, point, work, execution);
  kernels.front().hbm = hbm;
  return kernels;
}

TimeEstimate time_estimate(std::string_view algorithm, const Case& point, const Execution& execution,
                           const MachineRates& rates, const std::vector<KernelWork>& kernels) {
  TimeEstimate estimate;
  UnitAmounts amounts;
  Bytes hbm;
  double imbalance = 1;
  for (const KernelWork& kernel : kernels) {
    add(amounts, kernel.amounts);
    hbm += kernel.hbm;
    estimate.launches.push_back(launch_estimate(algorithm, point, execution, rates, kernel));
    const LaunchEstimate& launch = estimate.launches.back();
    imbalance = std::max(imbalance, launch.imbalance);
    estimate.seconds += launch.seconds;
    estimate.floor += static_cast<double>(launch.times) * rates.launch;
  }
  estimate.bounds = time_bounds(amounts, hbm, rates, execution.matrix);
  estimate.low = std::min(estimate.seconds, estimate.floor + estimate.bounds.largest());
  estimate.high = std::max(estimate.seconds, estimate.floor + estimate.bounds.serial() * imbalance);
  estimate.kind = kind_of(estimate);
  add_notes(algorithm, estimate);
  return estimate;
}

std::optional<OpsPerSecond> peak_at(const Device& device, DType dtype, Hertz clock) {
  for (const ComputeUnit unit : {ComputeUnit::tensor, ComputeUnit::fma}) {
    const auto each = device.per_sm_clock(unit, dtype);
    if (each) return OpsPerSecond{*each * static_cast<double>(device.sm.count) * clock.value};
  }
  return std::nullopt;
}

}  // namespace tilemeter
