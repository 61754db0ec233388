#include "sim/time/engine.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "model/occupancy.hpp"
#include "sim/time/launch_run.hpp"

namespace tilemeter {
namespace {

/// Blocks of the launch that an SM holds: as given, or by the tiles and threads of the largest.
Count resident_blocks(const RecordedLaunch& launch, const Execution& execution, const Device& device) {
  std::optional<Count> least;
  Count room = std::numeric_limits<Count>::max();  // whatever the registers
  for (const Program& program : launch.programs) {
    const BlockPlan plan = {.name = launch.kernel, .tiles = program.tiles, .threads = execution.threads};
    if (const auto refusal = refusal_of(plan, device)) throw InputError(*refusal);
    const Occupancy occupancy = occupancy_of(plan, device);
    least = std::min(least.value_or(occupancy.blocks), occupancy.blocks);
    room = std::min({room, occupancy.by_shared.value_or(occupancy.by_blocks), occupancy.by_warps, occupancy.by_blocks});
  }
  if (execution.blocks_per_sm && *execution.blocks_per_sm > room) {
    throw InputError("--blocks-per-sm " + std::to_string(*execution.blocks_per_sm) + ": an SM of " + device.name +
                     " has room for " + std::to_string(room) + " blocks of " + launch.kernel);
  }
  const Count resident = execution.blocks_per_sm.value_or(least.value_or(1));
  const Count most = static_cast<Count>(EventQueue::most_workers) / std::max(Count{1}, device.sm.count);
  if (resident < 1 || resident > most) {
    throw InputError(launch.kernel + ": " + std::to_string(resident) + " blocks per SM: expected 1 to " +
                     std::to_string(most));
  }
  return resident;
}

void sort_spans(std::vector<Span>& spans) {
  std::stable_sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) { return a.begin < b.begin; });
}

}  // namespace

Simulated simulate(const Recording& recording, const Execution& execution, const Device& device,
                   const MachineRates& rates, const EngineOptions& options) {
  Simulated sums;
  sums.sms.resize(static_cast<std::size_t>(rates.sms));
  L2 l2(recording, rates.l2_capacity);
  Machine machine = {.execution = execution, .rates = rates, .options = options, .l2 = l2, .sums = sums};
  const auto launch_time = static_cast<Picoseconds>(rates.launch * 1e12);
  for (const RecordedLaunch& launch : recording.launches) {
    const Count resident = resident_blocks(launch, execution, device);
    const Picoseconds end = LaunchRun(launch, resident, sums.time + launch_time, machine).run();
    const Count blocks = checked::multiply(launch.streams, static_cast<Count>(launch.blocks.size()));
    sums.launches.push_back({.kernel = launch.kernel,
                             .blocks = blocks,
                             .resident = resident,
                             .waves = ceil_div(blocks, resident * rates.sms),
                             .time = end - sums.time});
    sums.time = end;
  }
  sums.levels.left_dirty = l2.dirty();
  sort_spans(sums.timeline.spans);
  return sums;
}

}  // namespace tilemeter
