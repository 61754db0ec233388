// The loads and stores of recorded blocks, without the rest.
#pragma once

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

}  // namespace tilemeter
