// How much of what blocks walk has left an L2 before the next block touches it: the working-set method.
#pragma once

#include <vector>

#include "model/execution.hpp"
#include "model/problem.hpp"

namespace tilemeter {

/// Key tiles first ... last - 1 of a block, one a step.
struct KeyWalk {
  Count first = 0;
  Count last = 0;
};

/// The walks of the blocks of one stream, by query tile and then split (split fastest).
std::vector<KeyWalk> blocks_of_stream(const Case& point, Count splits);

/// The order in which a launch's blocks start: the next one where one ends, `resident` at a time.
struct WalkOrder {
  Count streams = 1;
  Count groups = 1;  ///< of streams that walk the same keys
  Count resident = 1;
  FastestIndex fastest = FastestIndex::blocks;
  std::vector<KeyWalk> blocks;  ///< of a stream
};

/// Bytes that a block touches for itself, those of a key tile, and those of all keys of all groups.
struct WalkBytes {
  double block = 0;
  double tile = 0;
  double once = 0;
};

/// Bytes of keys that are read again. Of each key tile the steps are known in which blocks touch it, and so the gaps
/// between them. A window of tau steps holds W(tau) distinct bytes on average:
///   W(tau) = 1/T sum over touches of bytes x min(gap to the next touch, tau),  T steps in all.
/// An L2 of C bytes keeps what is touched again within the tau with W(tau) = C; longer gaps are read again. Source:
/// Denning, The working set model for program behavior, 1968; Denning and Schwartz, Properties of the working-set
/// model, 1972. At most 2^14 blocks, 8 groups and 32 key tiles are looked at; they stand for all.
double read_again_beyond(const WalkOrder& order, const WalkBytes& bytes, double capacity);

}  // namespace tilemeter
