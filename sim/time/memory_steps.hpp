// The loads and stores of recorded blocks, without the rest, and the order in which the blocks of a launch start.
#pragma once

#include <vector>

#include "model/execution.hpp"
#include "sim/time/program.hpp"

namespace tilemeter {

/// What the blocks of one program move at the edge of the SM.
struct ProgramTraffic {
  Traffic traffic{};
  Count accesses = 0;  ///< loads and stores

  ProgramTraffic& operator+=(const ProgramTraffic& other);
  ProgramTraffic operator*(Count times) const;
};

ProgramTraffic traffic_of(const Program& program);

/// `launch` with programs of loads and stores alone.
RecordedLaunch memory_steps(const RecordedLaunch& launch);

/// The blocks of a launch in the order in which they start. The longest block is the one with the most ops.
class BlockSequence {
 public:
  BlockSequence(const RecordedLaunch& launch, RowOrder order, FastestIndex fastest);

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
