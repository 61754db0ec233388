// FlashAttention-3: flash2's bill, with two groups of rows and scores of two key tiles on chip.
#pragma once

#include "model/closed_form/formula.hpp"

namespace tilemeter {

/// Rows of the two consumer groups of a query tile of `rows` rows: half of them, rounded up to whole 64-row matrix
/// instructions, and the rest, which may be none. 128 gives 64 and 64, 192 gives 128 and 64, 100 gives 64 and 36.
struct GroupRows {
  Count first = 0;
  Count second = 0;
};
GroupRows group_rows(Count rows);

/// K, V and, for each group (suffix 0 and 1), Q, O, S, P, l and m: S of the next key tile lives beside P of this one.
/// With F1 = 2d(Br + Bc) + Br Bc + 2Br of flash2 and s stages: F1 + Br Bc + 2(s - 1) Bc d. N = 4096, d = 128, (128,
/// 128), 2 stages: 131328 elements. Source: Shah et al., FlashAttention-3, 2024, Algorithm 2 and section 3.1.
std::vector<KernelTiles> flash3_tiles(const Case& point);

}  // namespace tilemeter
