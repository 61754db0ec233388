// From a budget to tile sizes: the paper's rule, the largest tiling that fits, the least traffic; and the message for a
// tiling that does not fit.
#pragma once

#include <string>
#include <string_view>

#include "model/on_chip.hpp"
#include "model/problem.hpp"

namespace tilemeter {

/// Multiples that tile sizes must be of: 16 with a device, else 1.
struct TileGranularity {
  Count rows = 1;
};

/// Tile sizes of `rule` for `point.problem` under `budget`. `point.tiling` gives stages and block_d.
///  paper:   Bc = ceil(M / 4d), Br = min(Bc, d), M in elements of the operand type; may not fit.
///  fit:     K/V-outer: Br = min(Bc, d) with the largest Bc; Q-outer: Bc = min(Br, d) with the largest Br;
///           GEMM tiles: the largest square block_q = block_k.
///  optimum: least traffic under the true capacity; among equals the largest streamed tile.
/// Throws InputError when the budget is absent, when a rule does not apply to `algorithm`, or when not even the smallest
/// tile fits.
Tiling resolve_tiling(std::string_view algorithm, const Case& point, BlockRule rule, const Budget& budget,
                      TileGranularity granularity);

/// Whether a row of scores stays on chip in the softmax of standard_tiled, decided by the budget.
RowSoftmax resolve_row_softmax(std::string_view algorithm, const Case& point, const Budget& budget);

/// The sentence that refuses an overflowing tiling: what it needs, tile by tile, what is allowed, and the nearest
/// tilings that fit.
std::string over_capacity_message(std::string_view algorithm, const Case& point, const Budget& budget,
                                  TileGranularity granularity);

}  // namespace tilemeter
