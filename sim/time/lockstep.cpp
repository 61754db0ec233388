#include "sim/time/lockstep.hpp"

#include <algorithm>
#include <cmath>

#include "sim/time/l2.hpp"
#include "sim/time/memory_steps.hpp"

namespace tilemeter {
namespace {

/// A resident block.
struct Slot {
  OpStream ops;
  IssuedOp next{};  ///< the first op of its next step
  Count stream = 0;
  double speed = 1;
  double due = 0;  ///< steps that it may take
  bool counted = true;
};

/// Places first ... last - 1 of a launch's order, of which the places from `counted_from` to `counted_to` are counted.
struct Window {
  Count first = 0;
  Count last = 0;
  Count counted_from = 0;
  Count counted_to = 0;
};

/// Evenly spread over 0 ... 1, and far apart for numbers that follow each other.
double spread(Count number) {
  const double golden = 0.6180339887498949 * static_cast<double>(number);
  return golden - std::floor(golden);
}

class LaunchInLockstep {
 public:
  LaunchInLockstep(const RecordedLaunch& launch, const Execution& execution, Count resident, double drift, L2& l2)
      : launch_(memory_steps(launch)),
        order_(launch, execution.rows, execution.fastest),
        scheduling_(execution.scheduling),
        resident_(resident),
        drift_(drift),
        l2_(l2) {}

  const BlockSequence& order() const { return order_; }
  Count accesses() const { return accesses_; }

  DramTraffic run(const Window& window) {
    sum_ = {};
    std::vector<Lane> lanes;
    next_ = window.first;
    for (Count lane = 0; lane < std::min(resident_, window.last - window.first); ++lane) {
      lanes.push_back({.place = next_, .slot = slot_at(next_, window)});
      ++next_;
    }
    while (!lanes.empty()) {
      for (Lane& lane : lanes) advance(lane, window);
      std::erase_if(lanes, [](const Lane& lane) { return lane.place < 0; });
    }
    return sum_;
  }

  /// What the counted blocks of a window move.
  ProgramTraffic edge(Count from, Count to) const {
    std::vector<ProgramTraffic> programs;
    for (const Program& program : launch_.programs) programs.push_back(traffic_of(program));
    ProgramTraffic sum;
    for (Count number = from; number < to; ++number) {
      const BlockInstance& block = launch_.blocks[static_cast<std::size_t>(order_[number].block)];
      sum += programs[static_cast<std::size_t>(block.program)];
    }
    return sum;
  }

 private:
  /// Where blocks follow each other; without a place when there are no more.
  struct Lane {
    Count place = -1;
    Slot slot;
  };

  Slot slot_at(Count place, const Window& window) const {
    const BlockSequence::Place at = order_[place];
    Slot slot{.ops = OpStream(launch_, launch_.blocks[static_cast<std::size_t>(at.block)]), .stream = at.stream};
    slot.speed = 1 - drift_ * spread(place);
    slot.counted = place >= window.counted_from && place < window.counted_to;
    if (!slot.ops.next(slot.next)) slot.next.op = nullptr;
    return slot;
  }

  void advance(Lane& lane, const Window& window) {
    lane.slot.due += lane.slot.speed;
    if (lane.slot.due < 1) return;
    lane.slot.due -= 1;
    if (step(lane.slot)) return;
    lane.place = scheduling_ == Scheduling::static_persistent ? lane.place + resident_ : next_++;
    if (lane.place >= window.last) {
      lane.place = -1;
    } else {
      lane.slot = slot_at(lane.place, window);
    }
  }

  /// One step of a block; false when it was its last.
  bool step(Slot& slot) {
    std::uint64_t loaded = 0;
    while (slot.next.op != nullptr) {
      const IssuedOp& op = slot.next;
      const std::uint64_t tensor = std::uint64_t{1} << (op.place.tensor & 63);
      if (op.op->traffic.read_bytes.value() > 0) {
        if ((loaded & tensor) != 0) return true;
        loaded |= tensor;
      }
      const DramTraffic moved = l2_.access(*op.op, op.place, slot.stream, launch_.streams);
      if (slot.counted) sum_ += moved;
      ++accesses_;
      if (!slot.ops.next(slot.next)) slot.next.op = nullptr;
    }
    return false;
  }

  RecordedLaunch launch_;
  BlockSequence order_;
  Scheduling scheduling_;
  Count resident_;
  double drift_;
  L2& l2_;
  Count next_ = 0;
  Count accesses_ = 0;
  DramTraffic sum_{};
};

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

Moved whole(LaunchInLockstep& launch) {
  const Count blocks = launch.order().size();
  return {.dram = launch.run({0, blocks, 0, blocks})};
}

Moved sample(LaunchInLockstep& launch, Count resident, const ProgramTraffic& edge, Count most_accesses) {
  const Count blocks = launch.order().size();
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

/// What all blocks of a launch move at the edge.
ProgramTraffic edge_of(const RecordedLaunch& launch) {
  std::vector<ProgramTraffic> programs;
  for (const Program& program : launch.programs) programs.push_back(traffic_of(program));
  ProgramTraffic sum;
  for (const BlockInstance& block : launch.blocks) sum += programs[static_cast<std::size_t>(block.program)];
  return sum * launch.streams;
}

struct LaunchResult {
  LevelTraffic levels{};
  Count accesses = 0;
  double sampled = 1;
};

LaunchResult run_launch(const RecordedLaunch& recorded, const Execution& execution, Count resident,
                        const LockstepOptions& options, L2& l2) {
  LaunchInLockstep launch(recorded, execution, resident, options.drift, l2);
  const ProgramTraffic edge = edge_of(recorded);
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
    traffic.all.edge += result.levels.edge;
    traffic.all.l2_hits += result.levels.l2_hits;
    traffic.all.dram_read += result.levels.dram_read;
    traffic.all.dram_write += result.levels.dram_write;
    traffic.all.left_dirty = result.levels.left_dirty;
  }
  return traffic;
}

}  // namespace tilemeter
