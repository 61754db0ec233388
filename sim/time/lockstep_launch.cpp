#include "sim/time/lockstep_launch.hpp"

#include <algorithm>
#include <cmath>

namespace tilemeter {
namespace {

/// Evenly spread over 0 ... 1, and far apart for numbers that follow each other.
double spread(Count number) {
  const double golden = 0.6180339887498949 * static_cast<double>(number);
  return golden - std::floor(golden);
}

std::vector<Count> ops_of_programs(const RecordedLaunch& launch) {
  std::vector<Count> ops;
  for (const Program& program : launch.programs) ops.push_back(program.ops);
  return ops;
}

}  // namespace

LockstepLaunch::LockstepLaunch(const RecordedLaunch& launch, const Execution& execution, Count resident, double drift,
                               L2& l2)
    : launch_(memory_steps(launch)),
      order_(launch, execution.rows, execution.fastest, ops_of_programs(launch)),
      scheduling_(execution.scheduling),
      resident_(resident),
      drift_(drift),
      l2_(l2) {
  for (const Program& program : launch_.programs) programs_.push_back(traffic_of(program));
}

ProgramTraffic LockstepLaunch::edge(Count from, Count to) const {
  ProgramTraffic sum;
  for (Count place = from; place < to; ++place) {
    const BlockInstance& block = launch_.blocks[static_cast<std::size_t>(order_[place].block)];
    sum += programs_[static_cast<std::size_t>(block.program)];
  }
  return sum;
}

ProgramTraffic LockstepLaunch::edge() const {
  ProgramTraffic of_stream;
  for (const BlockInstance& block : launch_.blocks) of_stream += programs_[static_cast<std::size_t>(block.program)];
  return of_stream * launch_.streams;
}

DramTraffic LockstepLaunch::run(const Window& window) {
  sum_ = {};
  std::vector<Lane> lanes;
  next_ = window.first;
  while (next_ < std::min(window.last, window.first + resident_)) {
    lanes.push_back({.place = next_, .slot = slot_at(next_, window)});
    ++next_;
  }
  while (!lanes.empty()) {
    for (Lane& lane : lanes) advance(lane, window);
    std::erase_if(lanes, [](const Lane& lane) { return lane.place < 0; });
  }
  return sum_;
}

LockstepLaunch::Slot LockstepLaunch::slot_at(Count place, const Window& window) const {
  const BlockSequence::Place at = order_[place];
  Slot slot{.ops = OpStream(launch_, launch_.blocks[static_cast<std::size_t>(at.block)]), .stream = at.stream};
  slot.speed = 1 - drift_ * spread(place);
  slot.counted = place >= window.counted_from && place < window.counted_to;
  if (!slot.ops.next(slot.next)) slot.next.op = nullptr;
  return slot;
}

void LockstepLaunch::advance(Lane& lane, const Window& window) {
  lane.slot.due += lane.slot.speed;
  if (lane.slot.due < 1) return;
  lane.slot.due -= 1;
  if (step(lane.slot)) return;
  lane.place = is_dealt(scheduling_) ? next_dealt(scheduling_, lane.place, resident_) : next_++;
  if (lane.place >= window.last) {
    lane.place = -1;
  } else {
    lane.slot = slot_at(lane.place, window);
  }
}

/// One step of a block; false when it was its last.
bool LockstepLaunch::step(Slot& slot) {
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

}  // namespace tilemeter
