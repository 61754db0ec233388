// What of the traffic at the edge of the SMs goes on to device memory: an L2 of tiles, least recently used first out.
#pragma once

#include <vector>

#include "sim/time/program.hpp"

namespace tilemeter {

/// What an access moves between the L2 and device memory.
struct DramTraffic {
  Bytes read{};
  Bytes write{};
};

/// Holds pieces of tensors up to its capacity. Pieces are the rows x columns that a tensor's first access has; other
/// accesses touch every piece that they meet. Bytes are whole sectors of 32 B. Writes stay until they are evicted
/// (write-back, no fetch on write of whole sectors).
class L2 {
 public:
  /// `capacity` of data of its own.
  L2(const Recording& recording, Bytes capacity);

  /// What a load, a store, or an atomic addition (both) of `op` at `place` in the stream's matrices causes. `stream` of
  /// `streams` is the block's.
  DramTraffic access(const Op& op, const RecordedArea& place, Count stream, Count streams);

  Bytes resident() const;
  Bytes dirty() const;     ///< written and not yet in device memory
  Bytes write_back_all();  ///< the same, and clean afterwards
};

}  // namespace tilemeter
