// Which block goes where, and which blocks of a launch are left out because others stand for them.
#pragma once

#include <vector>

#include "sim/time/block_sequence.hpp"
#include "sim/time/engine.hpp"
#include "sim/time/timed_program.hpp"

namespace tilemeter {

/// A block of a launch by its place in the order in which blocks start.
struct DealtBlock {
  Count number = 0;  ///< in that order
  Count stream = 0;
  const BlockInstance* block = nullptr;
};

/// The order of the blocks of a launch.
class BlockOrder {
 public:
  BlockOrder(const RecordedLaunch& launch, const std::vector<TimedProgram>& programs, const Execution& execution,
             const MachineRates& rates);

  Count size() const { return size_; }
  DealtBlock at(Count number) const;
  /// After how many blocks the programs repeat: 1 when all are alike; 0 when they do not.
  Count period() const { return period_; }
  /// Blocks of a stream that follow each other; 0 when those of other streams are between them.
  Count stream_length() const;
  /// Whether blocks take so nearly as long as each other that they run in waves: four fifths of the longest on average.
  bool even() const { return even_; }

 private:
  /// `lengths` are those of the programs.
  BlockOrder(const RecordedLaunch& launch, const std::vector<Picoseconds>& lengths, const Execution& execution);

  const RecordedLaunch& launch_;
  FastestIndex fastest_;
  Count size_ = 0;
  BlockSequence sequence_;
  bool even_ = true;
  Count period_ = 0;
};

/// Blocks that are not simulated. Those from `jump` on, `skipped` of them, cost what `window` blocks from
/// `window_begin` on do, times skipped / window.
struct WaveFolding {
  Count window_begin = 0;
  Count window = 1;
  Count jump = 0;
  Count skipped = 0;  ///< 0: all blocks are simulated

  bool in_window(Count simulated) const {
    return skipped > 0 && simulated >= window_begin && simulated < window_begin + window;
  }
  /// A number of the simulated blocks as one of all.
  Count number_of(Count simulated) const { return simulated < jump ? simulated : simulated + skipped; }
};

/// Which blocks of `order` are left out when `resident` run at a time: as many as bring the rest to about `aim` blocks,
/// in whole periods; with even blocks in whole waves, or nearly, so that the last one is as full as it was. Half of
/// them, and at least a wave, come before the window, a wave behind it.
WaveFolding folding_of(const BlockOrder& order, Count resident, Count aim);

}  // namespace tilemeter
