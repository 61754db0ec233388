// Where the time of one resident block goes.
#pragma once

#include <array>

#include "traces/timeline.hpp"

namespace tilemeter {

/// Time of blocks, summed: that in which ops on the units of the SM ran, and the rest by what the next op waited for.
struct BlockTime {
  Picoseconds working = 0;
  std::array<Picoseconds, wait_count> waits{};

  Picoseconds total() const;
  BlockTime& operator+=(const BlockTime& other);
};

/// An op on the units of the SM.
struct UnitWork {
  Picoseconds ready = 0;
  Wait cause = Wait::order;  ///< of `ready`
  Picoseconds begin = 0;     ///< on the first of its units
  Wait unit = Wait::order;   ///< that was busy between `ready` and `begin`
  Picoseconds end = 0;
};

/// Divides the time of a block, from its start on, into work and named waits, each picosecond once.
class BlockClock {
 public:
  /// `barrier`: the part of a wait for memory that is the barrier behind it.
  void start(Picoseconds now, Picoseconds barrier);
  /// Work of one of two queues, whose ops begin in order. `now` is not before the begin of the queue's earlier ops.
  void add(Picoseconds now, std::size_t queue, const UnitWork& work);
  /// The block ends at `now`, and waited for `cause` last. Work of ops that go on belongs to the block that follows.
  BlockTime finish(Picoseconds now, Wait cause);

 private:
  void settle(Picoseconds until);
  void pass(const UnitWork& work);
  void wait(Wait cause, Picoseconds time);

  Picoseconds covered_ = 0;
  Picoseconds barrier_ = 0;
  BlockTime time_;
  std::array<UnitWork, 2> pending_{};  ///< that may not have begun
  std::array<int, 2> has_pending_{};
};

}  // namespace tilemeter
