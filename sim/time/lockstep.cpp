#include "sim/time/lockstep.hpp"

#include <algorithm>
#include <cmath>

#include "sim/time/lockstep_launch.hpp"

namespace tilemeter {
namespace {

DramTraffic scaled(const DramTraffic& traffic, double factor) {
  const auto times = [&](Bytes bytes) {
    return Bytes(static_cast<Count>(std::llround(static_cast<double>(bytes.value()) * factor)));
  };
  return {times(traffic.read), times(traffic.write), times(traffic.hit), times(traffic.filled)};
}

/// What a launch moves below the edge.
struct Moved {
  DramTraffic dram{};
  double sampled = 1;
};

Moved whole(LockstepLaunch& launch) {
  const Count blocks = launch.blocks();
  return {.dram = launch.run({0, blocks, 0, blocks})};
}

Moved sample(LockstepLaunch& launch, Count resident, const ProgramTraffic& edge, Count most_accesses) {
  const Count blocks = launch.blocks();
  const Count span = 3 * resident;
  const double accesses_a_window =
      static_cast<double>(edge.accesses) * static_cast<double>(span) / static_cast<double>(blocks);
  const Count most = std::max<Count>(1, static_cast<Count>(static_cast<double>(most_accesses) / accesses_a_window));
  if (blocks <= span || most * span >= blocks) return whole(launch);
  DramTraffic sum;
  Count counted_bytes = 0;
  for (Count i = 0; i < most; ++i) {
    const Count first = most == 1 ? (blocks - span) / 2 : (blocks - span) / (most - 1) * i;
    const Window window = {first, first + span, first + resident, first + 2 * resident};
    sum += launch.run(window);
    counted_bytes += launch.edge(window.counted_from, window.counted_to).traffic.total_bytes().value();
  }
  const double share = static_cast<double>(counted_bytes) / static_cast<double>(edge.traffic.total_bytes().value());
  return {.dram = scaled(sum, 1 / share), .sampled = share};
}

struct LaunchResult {
  LevelTraffic levels{};
  Count accesses = 0;
  double sampled = 1;
};

LaunchResult run_launch(const RecordedLaunch& recorded, const Execution& execution, Count resident,
                        const LockstepOptions& options, L2& l2) {
  LockstepLaunch launch(recorded, execution, resident, options.drift, l2);
  const ProgramTraffic edge = launch.edge();
  const Moved moved =
      edge.accesses <= options.most_accesses ? whole(launch) : sample(launch, resident, edge, options.most_accesses);
  return {.levels = {.edge = edge.traffic,
                     .l2_hits = moved.dram.hit,
                     .dram_read = moved.dram.read,
                     .dram_write = moved.dram.write,
                     .left_dirty = l2.dirty()},
          .accesses = launch.accesses(),
          .sampled = moved.sampled};
}

}  // namespace

LockstepTraffic lockstep_traffic(const Recording& recording, const Execution& execution, Count resident, Bytes capacity,
                                 const LockstepOptions& options) {
  L2 l2(recording, capacity);
  LockstepTraffic traffic;
  for (const RecordedLaunch& launch : recording.launches) {
    const LaunchResult result = run_launch(launch, execution, resident, options, l2);
    traffic.launches.push_back(result.levels);
    traffic.accesses += result.accesses;
    traffic.sampled = std::min(traffic.sampled, result.sampled);
    traffic.all += result.levels;
    traffic.all.left_dirty = result.levels.left_dirty;
  }
  return traffic;
}

}  // namespace tilemeter
