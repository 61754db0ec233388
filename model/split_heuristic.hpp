// Into how many parts a block's keys are split so that a GPU is full.
#pragma once

#include "model/problem.hpp"

namespace tilemeter {

/// What a split-KV launch offers a GPU.
struct SplitLoad {
  Count blocks = 1;     ///< without splits: streams x query tiles
  Count key_tiles = 1;  ///< of one stream
  Count slots = 1;      ///< blocks that run at once: two per SM
};

/// FlashAttention-2's choice of the number of splits: 1 when the blocks fill 0.8 of the slots or more; else, of the
/// numbers n <= min(128, slots, key tiles) whose splits hold fewer tiles than those of n - 1 (which leaves no split
/// empty), the smallest with a wave efficiency x / ceil(x), x = blocks n / slots, of at least 0.85 of the best. Batch
/// 1, 8 heads, 64 key tiles, 108 SMs: 22. Source: num_splits_heuristic of the FlashAttention repository.
Count split_heuristic(const SplitLoad& load);

/// The number of splits of a point: as asked for, else by the heuristic.
Count splits_of(const Case& point);

/// Key tiles of a split: ceil(key tiles / splits), at least 1.
Count tiles_per_split(Count key_tiles, Count splits);

}  // namespace tilemeter
