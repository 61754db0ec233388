// A launch of flash2 as other projects' kernels make it, written down by hand: the order of its blocks and keys, and
// registers that it spills.
#pragma once

#include "model/execution.hpp"
#include "model/problem.hpp"
#include "sim/time/program.hpp"

namespace tilemeter::testing {

enum class KeyWalk { first_to_last, last_to_first };
/// Which index follows the query tile in the order of blocks.
enum class NextIndex { heads, batch };

struct Flash2Launch {
  Problem problem;
  Tiling tiling;
  Tails tails = Tails::predicated;
  KeyWalk keys = KeyWalk::first_to_last;
  NextIndex next = NextIndex::heads;
  Bytes spilled_a_step{};  ///< that a block stores in local memory at every key tile
  Count spill_areas = 1;   ///< resident blocks: each has a local memory of its own
};

/// One launch of a single stream: Q once, K and V tile by tile, O and LSE once. Spilled registers are a tensor `part`
/// with a matrix a resident block, stored over and over.
Recording recorded(const Flash2Launch& launch);

}  // namespace tilemeter::testing
