// Traffic at every level without time: all resident blocks take a step of theirs, then all take the next.
#pragma once

#include <vector>

#include "sim/time/engine.hpp"

namespace tilemeter {

struct LockstepOptions {
  /// Blocks run at speeds spread evenly over 1 - drift ... 1 steps a round; less than 1.
  double drift = 0;
  /// Launches of more accesses are sampled.
  Count most_accesses = 40'000'000;
};

/// Bytes of L2 hits and device memory are whole sectors.
struct LockstepTraffic {
  std::vector<LevelTraffic> launches;  ///< in order
  LevelTraffic all{};
  Count accesses = 0;  ///< loads and stores that were simulated
  double sampled = 1;  ///< the least share of a launch's blocks that was
};

/// The traffic of `recording` when `resident` blocks run at once (SMs x blocks an SM) before an L2 that holds
/// `capacity`. A step of a block ends before the load of a tensor that the step has loaded already: of flash2 (Q K V)
/// (K V) ... (K V O LSE). Blocks start in the order of `execution`, the next one a round after one has ended; static
/// persistent ones at places b, b + resident, ... The L2 keeps what it holds from launch to launch.
///
/// L2 hits + device reads = what loads touch at the edge of the SM, in sectors, where stores cover no sector in part.
///
/// A launch of more than `most_accesses` is sampled: windows of 3 x resident blocks, evenly spaced along the launch, of
/// which the middle third is counted and stands for all, by bytes read at the edge. It takes launches to change slowly
/// from one wave of blocks to the next.
LockstepTraffic lockstep_traffic(const Recording& recording, const Execution& execution, Count resident, Bytes capacity,
                                 const LockstepOptions& options = {});

}  // namespace tilemeter
