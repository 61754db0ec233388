// Blocks on SMs, one after the other: who ends when, without simulating what blocks do.
#pragma once

#include <vector>

#include "model/execution.hpp"
#include "model/units.hpp"

namespace tilemeter {

/// Equal blocks that follow each other in launch order.
struct BlockRun {
  Count blocks = 1;
  double work = 1;  ///< of each, in any unit: visited tiles
};

/// The blocks of a launch: those of one stream in ascending order of rows, `streams` times.
struct LaunchBlocks {
  Count streams = 1;
  std::vector<BlockRun> stream;

  Count blocks() const;  ///< throws FigureOverflow
  double work() const;
  double longest() const;  ///< work of the longest block
};

/// The order in which the blocks are launched.
std::vector<BlockRun> launch_order(const LaunchBlocks& blocks, RowOrder rows, FastestIndex fastest);

/// How fast an SM works for each of the blocks that it holds: seconds (or clocks) for a unit of work of a block, when
/// it is alone and when `resident` blocks share the SM. A block of two waits for its own chain of operations, or for
/// the unit that both need.
struct SharedSpeed {
  double chain = 1;  ///< of one block's operations that wait for each other
  double unit = 1;   ///< of its most used unit
  double at(Count resident) const {
    const double shared = unit * static_cast<double>(resident);
    return shared > chain ? shared : chain;
  }
};

/// The SMs of a launch.
struct SmArray {
  Count sms = 1;
  Count resident = 1;
  SharedSpeed speed{};
  Scheduling scheduling = Scheduling::grid;
};

/// What came of it.
struct BlockSchedule {
  double end = 0;      ///< of the last block, in the unit of the speed
  double longest = 0;  ///< work of the SM that has most
  double mean = 0;     ///< work of an SM
  /// 1 when every SM has as much work as any other.
  double imbalance() const { return mean > 0 ? longest / mean : 1; }
};

/// At most so many blocks are placed one by one; of more, the first are spread evenly, which moves the end by less than
/// the time of the longest block. Full waves of equal blocks are spread too: they end together.
inline constexpr Count most_scheduled_blocks = 65536;

/// Places the blocks of `order` as `array.scheduling` says: each on the SM where a block ends first (the lower number
/// among equals), or dealt in turn. O(blocks log SMs).
BlockSchedule schedule_blocks(const std::vector<BlockRun>& order, const SmArray& array);

}  // namespace tilemeter
