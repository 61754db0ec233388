// The order in which the blocks of a launch start.
#pragma once

#include <vector>

#include "model/execution.hpp"
#include "sim/time/program.hpp"

namespace tilemeter {

/// The blocks of a launch in the order in which they start.
class BlockSequence {
 public:
  /// `lengths` says which programs are the longest.
  BlockSequence(const RecordedLaunch& launch, RowOrder order, FastestIndex fastest, const std::vector<Count>& lengths);

  struct Place {
    Count stream = 0;
    int block = 0;  ///< index in the launch's blocks
  };
  Count size() const { return streams_ * static_cast<Count>(blocks_.size()); }
  Place operator[](Count number) const;

 private:
  Count streams_;
  FastestIndex fastest_;
  std::vector<int> blocks_;
};

}  // namespace tilemeter
