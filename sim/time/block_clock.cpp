#include "sim/time/block_clock.hpp"

#include <algorithm>
#include <utility>

namespace tilemeter {

Picoseconds BlockTime::total() const {
  Picoseconds sum = working;
  for (const Picoseconds wait : waits) sum += wait;
  return sum;
}

BlockTime& BlockTime::operator+=(const BlockTime& other) {
  working += other.working;
  for (std::size_t i = 0; i < wait_count; ++i) waits[i] += other.waits[i];
  return *this;
}

void BlockClock::start(Picoseconds now, Picoseconds barrier) {
  covered_ = now;
  barrier_ = barrier;
  time_ = {};
  has_pending_ = {};
}

void BlockClock::wait(Wait cause, Picoseconds time) { time_.waits[static_cast<std::size_t>(cause)] += time; }

void BlockClock::pass(const UnitWork& work) {
  if (work.begin > covered_) {
    const Picoseconds ready = std::clamp(work.ready, covered_, work.begin);
    const bool memory = work.cause == Wait::hbm || work.cause == Wait::l2;
    const Picoseconds barrier = memory ? std::min(barrier_, ready - covered_) : 0;
    wait(work.cause, ready - covered_ - barrier);
    wait(Wait::barrier, barrier);
    wait(work.unit, work.begin - ready);
    covered_ = work.begin;
  }
  if (work.end > covered_) {
    time_.working += work.end - covered_;
    covered_ = work.end;
  }
}

void BlockClock::settle(Picoseconds until) {
  const auto due = [&](std::size_t queue) { return has_pending_[queue] != 0 && pending_[queue].begin <= until; };
  const std::size_t first = pending_[0].begin <= pending_[1].begin ? 0 : 1;
  for (const std::size_t queue : {first, 1 - first}) {
    if (!due(queue)) continue;
    pass(pending_[queue]);
    has_pending_[queue] = 0;
  }
}

void BlockClock::add(Picoseconds now, std::size_t queue, const UnitWork& work) {
  settle(now);
  pending_[queue] = work;
  has_pending_[queue] = 1;
}

BlockTime BlockClock::finish(Picoseconds now, Wait cause) {
  settle(now);
  if (now > covered_) wait(cause, now - covered_);
  BlockTime time = std::exchange(time_, {});
  if (now < covered_) {
    time_.working = covered_ - now;
    time.working -= time_.working;
  }
  covered_ = std::max(covered_, now);
  return time;
}

}  // namespace tilemeter
