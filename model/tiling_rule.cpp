#include "model/tiling_rule.hpp"

#include "model/closed_form/catalog.hpp"
#include "model/footprint.hpp"
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

Tiling paper_tiling(std::string_view algorithm, const Case& point, const Budget& budget) {
  if (formula_of(algorithm).order == LoopOrder::gemm) {
    throw InputError("--blocks paper does not apply to " + std::string(algorithm) +
                     ": use fit, optimum, or --block-q and --block-k");
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

Tiling largest_tiling(const TileSearch& search, LoopOrder order, const Case& point) {
  search.require_smallest(search.with(search.step(), search.step()));
  return order == LoopOrder::gemm ? largest_square_tiling(search) : largest_streaming_tiling(search, order, point);
}

Case with_row_softmax(std::string_view algorithm, Case point, const Budget& budget) {
  point.options.row_softmax = resolve_row_softmax(algorithm, point, budget);
  return point;
}

Tiling searched_tiling(std::string_view algorithm, const Case& point, BlockRule rule, const Budget& budget,
                       TileGranularity granularity) {
  if (!budget.limited()) throw InputError(option_text(rule) + " needs --sram or --device");
  if (rule == BlockRule::optimum) return best_tilings(algorithm, point, budget, granularity, 1).best.front().tiling;
  const Case resolved = with_row_softmax(algorithm, point, budget);
  return largest_tiling(TileSearch(algorithm, resolved, budget, granularity), formula_of(algorithm).order, resolved);
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

std::vector<std::string> neighbours_that_fit(std::string_view algorithm, const TileSearch& search, Case point) {
  std::vector<std::string> texts;
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

/// What follows the need: neighbours, or the largest tiling at all, or what the smallest needs.
std::string advice(std::string_view algorithm, const Case& point, const Budget& budget, TileGranularity granularity) {
  const TileSearch search(algorithm, point, budget, granularity);
  const std::vector<std::string> near = neighbours_that_fit(algorithm, search, point);
  if (!near.empty()) {
    std::string text = "; nearest that fit: ";
    for (const std::string& shape : near) text += (&shape == &near.front() ? "" : ", ") + shape;
    return text;
  }
  const Case smallest = search.with(search.step(), search.step());
  if (!search.fits(smallest)) {
    return "; not even the smallest tiling fits: " + kernel_capacity_message(algorithm, smallest, budget);
  }
  Case fitting = point;
  fitting.tiling = largest_tiling(search, formula_of(algorithm).order, point);
  return "; nearest that fit: " + shape_text(algorithm, fitting);
}

}  // namespace

Tiling resolve_tiling(std::string_view algorithm, const Case& point, BlockRule rule, const Budget& budget,
                      TileGranularity granularity) {
  Tiling tiling = point.tiling;
  const bool keeps_sizes = rule == BlockRule::given || rule == BlockRule::standard;
  if (!keeps_sizes && formula_of(algorithm).order != LoopOrder::untiled) {
    tiling = rule == BlockRule::paper ? paper_tiling(algorithm, point, budget)
                                      : searched_tiling(algorithm, point, rule, budget, granularity);
  }
  tiling.rule = rule;
  return tiling;
}

RankedTilings best_tilings(std::string_view algorithm, const Case& point, const Budget& budget,
                           TileGranularity granularity, std::size_t keep) {
  const LoopOrder order = formula_of(algorithm).order;
  if (order == LoopOrder::untiled) throw InputError(std::string(algorithm) + " has no tiles to choose");
  const Case resolved = with_row_softmax(algorithm, point, budget);
  return least_traffic_tilings(TileSearch(algorithm, resolved, budget, granularity), order, resolved, {.keep = keep});
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
