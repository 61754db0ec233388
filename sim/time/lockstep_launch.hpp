// The blocks of one launch advancing in lockstep before an L2.
#pragma once

#include <vector>

#include "sim/time/block_sequence.hpp"
#include "sim/time/l2.hpp"
#include "sim/time/memory_steps.hpp"

namespace tilemeter {

/// Places first ... last - 1 of a launch's order, of which those from `counted_from` to `counted_to` are counted.
struct Window {
  Count first = 0;
  Count last = 0;
  Count counted_from = 0;
  Count counted_to = 0;
};

/// Refers to the L2, which must outlive it.
class LockstepLaunch {
 public:
  /// `drift`: LockstepOptions.
  LockstepLaunch(const RecordedLaunch& launch, const Execution& execution, Count resident, double drift, L2& l2);
  LockstepLaunch(const LockstepLaunch&) = delete;

  Count blocks() const { return order_.size(); }
  Count accesses() const { return accesses_; }  ///< that were simulated
  /// What the blocks at places from ... to - 1 move at the edge.
  ProgramTraffic edge(Count from, Count to) const;
  ProgramTraffic edge() const;  ///< of all blocks

  /// What the counted blocks of the window cause when its blocks run.
  DramTraffic run(const Window& window);

 private:
  /// A resident block.
  struct Slot {
    OpStream ops;
    IssuedOp next{};  ///< the first op of its next step; without an op at the end
    Count stream = 0;
    double speed = 1;  ///< steps a round
    double due = 0;    ///< steps that it may take
    bool counted = true;
  };
  /// Where blocks follow each other; at place -1 when there are no more.
  struct Lane {
    Count place = -1;
    Slot slot;
  };

  Slot slot_at(Count place, const Window& window) const;
  void advance(Lane& lane, const Window& window);
  bool step(Slot& slot);

  RecordedLaunch launch_;  ///< loads and stores alone
  std::vector<ProgramTraffic> programs_;
  BlockSequence order_;
  Scheduling scheduling_;
  Count resident_;
  double drift_;
  L2& l2_;
  Count next_ = 0;
  Count accesses_ = 0;
  DramTraffic sum_{};
};

}  // namespace tilemeter
