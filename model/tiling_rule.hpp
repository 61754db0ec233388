// From a budget to tile sizes: the paper's rule, the largest tiling that fits, the least traffic; and the message for a
// tiling that does not fit.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/closed_form/formula.hpp"
#include "model/on_chip.hpp"
#include "model/problem.hpp"

namespace tilemeter {

/// Multiples that tile sizes must be of: 16 with a device, else 1.
struct TileGranularity {
  Count rows = 1;
};

/// A tiling and its traffic: elements for a budget in elements, else bytes.
struct RankedTiling {
  Tiling tiling;
  Count traffic = 0;
};

/// What a search found, the least traffic first.
struct RankedTilings {
  std::vector<RankedTiling> best;
  Count tried = 0;         ///< tilings that were billed
  bool exhaustive = true;  ///< every other one was ruled out, not left untried
};

/// Whether best_tilings and the rule `optimum` apply.
bool has_searched_tiles(LoopOrder order);

/// Tile sizes of `rule` for `point.problem` under `budget`. `point.tiling` gives stages and block_d (0 leaves it free).
///  paper:   Bc = ceil(M / 4d), Br = min(Bc, d), M in elements of the operand type; may not fit.
///  fit:     K/V-outer: Br = min(Bc, d) with the largest Bc; Q-outer: Bc = min(Br, d) with the largest Br;
///           GEMM tiles: the largest square block_q = block_k; a single product: block_m = block_n, then block_k;
///           rows in pieces: the largest block_k.
///  optimum: least traffic under the true capacity (elements for a budget in elements, else bytes); among equals the
///           largest streamed tile, then the largest other tile; standard_tiled: among equals the smallest tiles;
///           a single product: among equals the fewest steps, over all orders where a GEMM leaves its own open.
/// chunked: `paper` is 1024 x sqrt(N_k) whatever the budget, `fit` the key chunk of `point` with the largest query
/// chunk, and `optimum` is refused. materialised: `paper` is the square tile of side floor(sqrt(M + 1)) - 1, `fit` the
/// largest square, `optimum` any rectangle. Linear attention keeps its chunk. `fit` and `optimum` give sizes of at most
/// the problem's, rounded up to the granularity. `given` and `standard`, and algorithms without tiles, keep the sizes
/// of `point.tiling`. standard_tiled takes the softmax of resolve_row_softmax. Throws InputError when the budget is
/// absent, when a rule does not apply to `algorithm`, or when not even the smallest tile fits.
Tiling resolve_tiling(std::string_view algorithm, const Case& point, BlockRule rule, const Budget& budget,
                      TileGranularity granularity);

/// The choice of `optimum`, then the best of other sizes, up to `keep` in all, each of another amount of traffic.
/// Throws InputError as resolve_tiling does, and for algorithms without tiles.
RankedTilings best_tilings(std::string_view algorithm, const Case& point, const Budget& budget,
                           TileGranularity granularity, std::size_t keep);

/// Whether a row of scores stays on chip in the softmax of standard_tiled: yes when it fits the budget. Other
/// algorithms keep their option.
RowSoftmax resolve_row_softmax(std::string_view algorithm, const Case& point, const Budget& budget);

/// The sentence that refuses an overflowing tiling: what it needs, tile by tile, what is allowed, and the nearest
/// tilings that fit (each size alone made smaller, in multiples of the granularity). `point` passes the budget.
std::string over_capacity_message(std::string_view algorithm, const Case& point, const Budget& budget,
                                  TileGranularity granularity);

/// "; head_dim 1024 equals seq: are --seq and --head-dim swapped?", when the head dimension equals a length, or passes
/// 512 and every length. Empty otherwise.
std::string swapped_sizes_hint(const Problem& problem);

}  // namespace tilemeter
