// Bills of kernels that move whole tiles where a tensor ends.
#pragma once

#include "model/problem.hpp"
#include "model/work.hpp"

namespace tilemeter {

/// The bill of flash2 and flash3 when every load is a whole tile of block_q or block_k rows, also past the end of the
/// tensor and where the tile is larger than the problem (a tensor map's box, filled with zeros). Stores are clipped. Of
/// 1000 keys in tiles of 128, 1024 are read. O(log N). Throws FigureOverflow.
Work padded_flash2_bill(const Case& point);

}  // namespace tilemeter
