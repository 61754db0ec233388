#include "model/tiling_rule.hpp"

#include "model/closed_form/catalog.hpp"
#include "model/closed_form/chunked.hpp"
#include "model/closed_form/materialised.hpp"
#include "model/footprint.hpp"
#include "model/gemm_search.hpp"
#include "model/piece_search.hpp"
#include "model/tile_search.hpp"
#include "model/tiling_optimum.hpp"

namespace tilemeter {
namespace {

std::string option_text(BlockRule rule) { return "--blocks " + std::string(name_of(rule)); }

Count capacity_in_elements(const Problem& problem, const Budget& budget) {
  if (budget.elements) return budget.elements->value();
  if (budget.bytes) return budget.bytes->value() / size_of(problem.dtype);
  throw InputError("--blocks paper needs --sram or --device");
}

Tiling with_sizes(Tiling tiling, Count block_q, Count block_k) {
  tiling.block_q = block_q;
  tiling.block_k = block_k;
  return tiling;
}

std::string_view size_options(LoopOrder order) {
  if (order == LoopOrder::product) return "--block-m, --block-n and --block-k";
  return order == LoopOrder::pieces ? "--block-k" : "--block-q and --block-k";
}

Tiling paper_tiling(std::string_view algorithm, const Case& point, const Budget& budget) {
  const LoopOrder order = formula_of(algorithm).order;
  if (order == LoopOrder::chunks) {
    const Tiling chunks = chunks_of_paper(point.problem);
    return with_sizes(point.tiling, chunks.block_q, chunks.block_k);
  }
  if (order == LoopOrder::outer_product) {
    const Count side = std::max(Count{1}, side_of_square_tile(capacity_in_elements(point.problem, budget)));
    return with_sizes(point.tiling, side, side);
  }
  if (order == LoopOrder::gemm || order == LoopOrder::product || order == LoopOrder::pieces) {
    throw InputError("--blocks paper does not apply to " + std::string(algorithm) + ": use fit, optimum, or " +
                     std::string(size_options(order)));
  }
  const Count d = point.problem.head_dim;
  const Count capacity = capacity_in_elements(point.problem, budget);
  const Count row_of_four = named("four rows of --head-dim", [&] { return checked::multiply(4, d); });
  Tiling tiling = point.tiling;
  tiling.block_k = std::max(Count{1}, ceil_div(capacity, row_of_four));
  tiling.block_q = std::min(tiling.block_k, d);
  return tiling;
}

/// The streamed size grows, the other follows it up to d; both are then cut to the problem. The search may pass the
/// problem's size, where nothing grows on chip any more, so that a single query still gets a full K/V tile.
Tiling largest_streaming_tiling(const TileSearch& search, LoopOrder order, const Case& point) {
  const Count follower_limit = search.rounded_down(point.problem.head_dim);
  const auto sized = [&](Count size) {
    const Count follower = std::min(size, follower_limit);
    const Count rows = order == LoopOrder::kv_outer ? follower : size;
    const Count keys = order == LoopOrder::kv_outer ? size : follower;
    return search.with(std::min(rows, search.row_limit()), std::min(keys, search.key_limit()));
  };
  const Count limit = std::max({search.row_limit(), search.key_limit(), follower_limit});
  return sized(largest_multiple(search.step(), limit, [&](Count size) { return search.fits(sized(size)); })).tiling;
}

Tiling largest_square_tiling(const TileSearch& search) {
  const auto sized = [&](Count size) {
    return search.with(std::min(size, search.row_limit()), std::min(size, search.key_limit()));
  };
  const Count limit = std::max(search.row_limit(), search.key_limit());
  return sized(largest_multiple(search.step(), limit, [&](Count size) { return search.fits(sized(size)); })).tiling;
}

/// Both sizes count in the output tile too, whose columns are those of V.
Tiling largest_square_of_columns(const TileSearch& search, const Case& point) {
  const Count columns = std::max(search.key_limit(), search.rounded_up(point.problem.head_dim_v));
  const auto sized = [&](Count size) {
    return search.with(std::min(size, search.row_limit()), std::min(size, columns));
  };
  const Count limit = std::max(search.row_limit(), columns);
  return sized(largest_multiple(search.step(), limit, [&](Count size) { return search.fits(sized(size)); })).tiling;
}

/// The key chunk of the point, at most the keys.
Count key_chunk(const TileSearch& search, const Case& point) {
  return std::min(search.rounded_up(point.tiling.block_k), search.key_limit());
}

Tiling largest_query_chunk(const TileSearch& search, const Case& point) {
  const Count keys = key_chunk(search, point);
  const auto suits = [&](Count rows) { return search.fits(rows, keys); };
  return search.with(largest_multiple(search.step(), search.row_limit(), suits), keys).tiling;
}

/// What must fit for any tiling of the rule `fit` to.
Case smallest_of(const TileSearch& search, LoopOrder order, const Case& point) {
  return search.with(search.step(), order == LoopOrder::chunks ? key_chunk(search, point) : search.step());
}

Tiling largest_tiling(const TileSearch& search, const Formula& formula, const Case& point) {
  const LoopOrder order = formula.order;
  if (order == LoopOrder::product) return largest_product_tiling(search, formula, point);
  if (order == LoopOrder::pieces) return largest_piece(search, formula, point);
  search.require_smallest(smallest_of(search, order, point));
  if (order == LoopOrder::gemm) return largest_square_tiling(search);
  if (order == LoopOrder::outer_product) return largest_square_of_columns(search, point);
  if (order == LoopOrder::chunks) return largest_query_chunk(search, point);
  return largest_streaming_tiling(search, order, point);
}

Case with_row_softmax(std::string_view algorithm, Case point, const Budget& budget) {
  point.options.row_softmax = resolve_row_softmax(algorithm, point, budget);
  return point;
}

Tiling searched_tiling(std::string_view algorithm, const Case& point, BlockRule rule, const Budget& budget,
                       TileGranularity granularity) {
  if (!budget.limited()) throw InputError(option_text(rule) + " needs --sram or --device");
  if (rule == BlockRule::optimum && formula_of(algorithm).order == LoopOrder::chunks) {
    throw InputError("--blocks optimum does not apply to " + std::string(algorithm) +
                     ": use paper, fit, or --chunk-q and --chunk-k");
  }
  const Formula& formula = formula_of(algorithm);
  if (rule == BlockRule::optimum && formula.order != LoopOrder::pieces) {
    return best_tilings(algorithm, point, budget, granularity, 1).best.front().tiling;
  }
  const Case resolved = with_row_softmax(algorithm, point, budget);
  return largest_tiling(TileSearch(algorithm, resolved, budget, granularity), formula, resolved);
}

/// The point with one of its sizes made as large as fits, at most what it is; nothing when not even one step fits.
void add_neighbour(std::vector<std::string>& texts, std::string_view algorithm, const TileSearch& search,
                   const Case& point, Count Tiling::*size) {
  const auto sized = [&](Count value) {
    Case other = point;
    other.tiling.*size = value;
    return other;
  };
  const Count asked = point.tiling.*size;
  if (asked <= search.step() || !search.fits(sized(search.step()))) return;
  const Count best = largest_multiple(search.step(), search.rounded_down(asked),
                                      [&](Count value) { return search.fits(sized(value)); });
  texts.push_back(shape_text(algorithm, sized(best)));
}

std::vector<std::string> products_that_fit(const Formula& formula, const TileSearch& search, Case point) {
  const ProductExtents extents = product_extents(formula, point);
  point.tiling.block_m = std::min(point.tiling.block_m, search.rounded_up(extents.m));
  point.tiling.block_n = std::min(point.tiling.block_n, search.rounded_up(extents.n));
  point.tiling.block_k = std::min(point.tiling.block_k, search.rounded_up(extents.k));
  std::vector<std::string> texts;
  for (Count Tiling::*size : {&Tiling::block_m, &Tiling::block_n, &Tiling::block_k}) {
    add_neighbour(texts, formula.name, search, point, size);
  }
  return texts;
}

std::vector<std::string> neighbours_that_fit(std::string_view algorithm, const TileSearch& search, Case point) {
  const Formula& formula = formula_of(algorithm);
  if (formula.order == LoopOrder::product) return products_that_fit(formula, search, point);
  std::vector<std::string> texts;
  if (formula.order == LoopOrder::pieces) {
    add_neighbour(texts, algorithm, search, point, &Tiling::block_k);
    return texts;
  }
  point.tiling.block_q = std::min(point.tiling.block_q, search.row_limit());
  point.tiling.block_k = std::min(point.tiling.block_k, search.key_limit());
  add_neighbour(texts, algorithm, search, point, &Tiling::block_q);
  add_neighbour(texts, algorithm, search, point, &Tiling::block_k);
  if (formula_of(algorithm).order == LoopOrder::gemm) {
    if (point.tiling.block_d == 0) point.tiling.block_d = std::max(point.problem.head_dim, point.problem.head_dim_v);
    add_neighbour(texts, algorithm, search, point, &Tiling::block_d);
  }
  return texts;
}

/// The largest chunk that fits beside the state, or what the state with one row needs.
std::string chunk_advice(std::string_view algorithm, const TileSearch& search, const Case& point,
                         const Budget& budget) {
  const auto with_chunk = [&](Count rows) {
    Case other = point;
    other.options.chunk = rows;
    return other;
  };
  if (!search.fits(with_chunk(1))) {
    return "; not even one row fits beside the state: " + kernel_capacity_message(algorithm, with_chunk(1), budget);
  }
  const Count best =
      largest_multiple(1, point.options.chunk, [&](Count rows) { return search.fits(with_chunk(rows)); });
  return "; nearest that fits: --chunk " + std::to_string(best);
}

/// What follows the need: neighbours, or the largest tiling at all, or what the smallest needs.
std::string advice(std::string_view algorithm, const Case& point, const Budget& budget, TileGranularity granularity) {
  const TileSearch search(algorithm, point, budget, granularity);
  const LoopOrder order = formula_of(algorithm).order;
  if (order == LoopOrder::recurrent) return chunk_advice(algorithm, search, point, budget);
  const std::vector<std::string> near = neighbours_that_fit(algorithm, search, point);
  if (!near.empty()) {
    std::string text = "; nearest that fit: ";
    for (const std::string& shape : near) text += (&shape == &near.front() ? "" : ", ") + shape;
    return text;
  }
  Case smallest = smallest_of(search, order, point);
  smallest.tiling.block_m = smallest.tiling.block_n = search.step();
  if (!search.fits(smallest)) {
    return "; not even the smallest tiling fits: " + kernel_capacity_message(algorithm, smallest, budget);
  }
  Case fitting = point;
  fitting.tiling = largest_tiling(search, formula_of(algorithm), point);
  return "; nearest that fit: " + shape_text(algorithm, fitting);
}

}  // namespace

Tiling resolve_tiling(std::string_view algorithm, const Case& point, BlockRule rule, const Budget& budget,
                      TileGranularity granularity) {
  Tiling tiling = point.tiling;
  const bool keeps_sizes = rule == BlockRule::given || rule == BlockRule::standard;
  const LoopOrder order = formula_of(algorithm).order;
  const bool has_sizes = order != LoopOrder::untiled && order != LoopOrder::recurrent;
  if (!keeps_sizes && has_sizes) {
    tiling = rule == BlockRule::paper ? paper_tiling(algorithm, point, budget)
                                      : searched_tiling(algorithm, point, rule, budget, granularity);
  }
  tiling.rule = rule;
  return tiling;
}

namespace {

/// The one tiling of least traffic, over all orders where a GEMM leaves its own open.
RankedTilings best_product_tiling(const TileSearch& search, const Formula& formula, const Case& point) {
  Case best = point;
  best.tiling = least_traffic_product_tiling(search, formula, point);
  if (formula.computation == Computation::gemm) best.options.gemm_order = least_traffic_order(best);
  return {.best = {{.tiling = best.tiling, .traffic = search.traffic(best)}}};
}

}  // namespace

bool has_searched_tiles(LoopOrder order) {
  return order != LoopOrder::untiled && order != LoopOrder::chunks && order != LoopOrder::recurrent &&
         order != LoopOrder::pieces;
}

RankedTilings best_tilings(std::string_view algorithm, const Case& point, const Budget& budget,
                           TileGranularity granularity, std::size_t keep) {
  const Formula& formula = formula_of(algorithm);
  if (!has_searched_tiles(formula.order)) {
    throw InputError("--algorithm " + std::string(algorithm) + ": has no tile sizes that could be searched for the " +
                     "least traffic");
  }
  const Case resolved = with_row_softmax(algorithm, point, budget);
  const TileSearch search(algorithm, resolved, budget, granularity);
  if (formula.order == LoopOrder::product) return best_product_tiling(search, formula, resolved);
  return least_traffic_tilings(search, formula.order, resolved, {.keep = keep});
}

RowSoftmax resolve_row_softmax(std::string_view algorithm, const Case& point, const Budget& budget) {
  if (formula_of(algorithm).order != LoopOrder::gemm) return point.options.row_softmax;
  Case resident = point;
  resident.options.row_softmax = RowSoftmax::resident;
  for (const KernelTiles& kernel : on_chip_tiles_by_kernel(algorithm, resident)) {
    if (kernel.kernel == "softmax" && !fits(footprint_of(kernel.tiles), budget)) return RowSoftmax::online;
  }
  return RowSoftmax::resident;
}

std::string over_capacity_message(std::string_view algorithm, const Case& point, const Budget& budget,
                                  TileGranularity granularity) {
  return kernel_capacity_message(algorithm, point, budget) + advice(algorithm, point, budget, granularity) +
         swapped_sizes_hint(point.problem);
}

std::string swapped_sizes_hint(const Problem& problem) {
  constexpr Count largest_usual_head_dim = 512;
  const Count d = problem.head_dim;
  const Count seq = std::max(problem.seq_q, problem.seq_k);
  const bool equal = d == problem.seq_q || d == problem.seq_k;
  if (!equal && !(d > largest_usual_head_dim && d > seq)) return "";
  return "; head_dim " + std::to_string(d) + (equal ? " equals seq" : " exceeds seq " + std::to_string(seq)) +
         ": are --seq and --head-dim swapped?";
}

}  // namespace tilemeter
