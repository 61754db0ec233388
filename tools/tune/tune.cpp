#include "tools/tune/tune.hpp"

#include "model/closed_form/catalog.hpp"
#include "model/footprint.hpp"
#include "model/gemm_search.hpp"
#include "sim/catalog.hpp"
#include "tools/options/text.hpp"
#include "tools/resolve.hpp"

namespace tilemeter {
namespace {

constexpr Count most_stages_tried = 4;

void require_tunable(const ResolvedPoint& point) {
  const std::string name(point.algorithm->name);
  if (!has_searched_tiles(point.algorithm->order())) {
    throw InputError("--algorithm " + name +
                     ": it has no tiles to tune; choose one with tiles (see `tilemeter algorithms show NAME`)");
  }
  if (!point.budget.limited()) throw InputError("tune needs a budget: --sram SIZE or --device NAME");
}

/// One, or as many as kernels use where the algorithm has a ring and the request leaves its depth open.
std::vector<Count> stages_of(const ResolvedPoint& point) {
  if (!has_word(point.algorithm->options, "--stages")) return {1};
  std::vector<Count> stages;
  for (Count depth = 1; depth <= most_stages_tried; ++depth) stages.push_back(depth);
  return stages;
}

void bill(PointResult& result, const Case& point) {
  const std::string_view name = result.request.algorithm->name;
  result.tiling = point.tiling;
  result.memory.tiles = on_chip_tiles(name, point);
  result.memory.peak = footprint_of(result.memory.tiles);
  result.closed = result.counted = closed_form(name, point);
  result.compulsory = compulsory(name, point);
  result.expression = expression_of(name, point);
  if (has_sequences(result.request.algorithm->computation())) {
    result.pairs = visible_pairs(point.problem);
    result.empty_rows = empty_rows(point.problem);
  }
}

}  // namespace

Case TuneResult::with(const Tiling& tiling) const {
  Case other{.problem = point.problem, .tiling = tiling, .options = point.options, .shapes = point.shapes};
  if (point.request.algorithm->computation() == Computation::gemm) {
    other.options.gemm_order = least_traffic_order(other);
  }
  return other;
}

TuneResult tune(const PointRequest& request, const TuneOptions& options) {
  const ResolvedPoint resolved = resolve(request);
  require_tunable(resolved);
  const std::string_view name = resolved.algorithm->name;
  Case point = resolved.largest;
  point.options.row_softmax = resolve_row_softmax(name, point, resolved.budget);
  TuneResult result;
  result.point.request = request;
  result.point.problem = point.problem;
  result.point.options = point.options;
  result.point.shapes = point.shapes;
  result.point.budget = resolved.budget;
  try {
    result.ranked = best_tilings(name, point, resolved.budget, resolved.granularity, options.top);
    for (RankedTiling& ranked : result.ranked.best) ranked.tiling.rule = BlockRule::optimum;
    bill(result.point, result.with(result.ranked.best.front().tiling));
    result.point.fits = true;
  } catch (const FigureOverflow&) {
    throw;
  } catch (const InputError& error) {
    result.point.refusal = error.what();
    result.point.fits = false;
  }
  result.front = traffic_front(name, point, resolved.budget, resolved.granularity);
  if (!has_sequences(resolved.algorithm->computation())) return result;
  result.candidates = hardware_candidates({.algorithm = name,
                                           .point = point,
                                           .budget = resolved.budget,
                                           .stages = stages_of(resolved),
                                           .warps = options.warps,
                                           .device = request.device.get()});
  return result;
}

}  // namespace tilemeter
