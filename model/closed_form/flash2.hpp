// FlashAttention-2: query tiles in the outer loop, O and LSE written once.
#pragma once

#include <string>

#include "model/closed_form/formula.hpp"

namespace tilemeter {

/// With KS the key rows streamed, summed over the query tiles, elements per stream: Q live d read (rows in tiles that
/// see a key), K KS d and V KS dv read, O rows dv and LSE rows written. Without a mask KS = Tr N, in all 2Nd + N + 2 Tr
/// Nd: N = 1024, d = 64, Br = 128 give 1180672 elements. Packed query heads share the K/V stream of their K/V head. Row
/// blocks without a key write O = 0 and LSE, and read nothing. Source: FlashAttention-2, Algorithm 1.
Work flash2_bill(const Case& point);

/// "2Nd + N + 2 Tr Nd" without a mask.
std::string flash2_expression(const Case& point);

/// As flash1_tiles.
std::vector<KernelTiles> flash2_tiles(const Case& point);

}  // namespace tilemeter
