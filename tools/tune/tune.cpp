#include "tools/tune/tune.hpp"

#include <algorithm>

#include "model/closed_form/catalog.hpp"
#include "model/footprint.hpp"
#include "model/gemm_search.hpp"
#include "model/launch_grid.hpp"
#include "sim/catalog.hpp"
#include "tools/options/text.hpp"
#include "tools/resolve.hpp"
#include "tools/splits.hpp"
#include "tools/tune/ranking.hpp"

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
  if (point.request.stages) return {*point.request.stages};
  if (!has_word(point.algorithm->options, "--stages")) return {1};
  std::vector<Count> stages;
  for (Count depth = 1; depth <= most_stages_tried; ++depth) stages.push_back(depth);
  return stages;
}

void require_timed(const ResolvedPoint& point, const PointRequest& request) {
  if (!request.device) throw InputError("--by time: a time needs --device NAME");
  if (has_sequences(point.algorithm->computation())) return;
  throw InputError("--by time: no list of tile sizes exists for --algorithm " + std::string(point.algorithm->name) +
                   ", which is tuned by traffic");
}

}  // namespace

Case TuneResult::with(const Tiling& tiling) const {
  Case other{.problem = point.problem, .tiling = tiling, .options = point.options, .shapes = point.shapes};
  if (point.request.algorithm->computation() == Computation::gemm) {
    other.options.gemm_order = least_traffic_order(other);
  }
  return other;
}

std::optional<BlockOnDevice> TuneResult::block_of(const Tiling& tiling) const {
  const Device* device = point.request.device.get();
  if (device == nullptr) return std::nullopt;
  const Case tiled = with(tiling);
  return block_on_device({.algorithm = point.request.algorithm->name,
                          .point = tiled,
                          .budget = point.budget,
                          .warps = warps,
                          .device = device},
                         tiled);
}

std::optional<std::string> TuneResult::grid_refusal_of(const Tiling& tiling) const {
  if (!point.request.device) return std::nullopt;
  const std::string_view name = point.request.algorithm->name;
  const Case tiled = with(tiling);
  for (const KernelTiles& kernel : on_chip_tiles_by_kernel(name, tiled)) {
    const auto grid = launch_grid(name, kernel.kernel, tiled);
    if (auto refusal = grid ? grid_refusal(*grid) : std::nullopt) return refusal;
  }
  return std::nullopt;
}

TuneResult tune(const PointRequest& request, const TuneOptions& options) {
  const ResolvedPoint resolved = resolve(request);
  require_tunable(resolved);
  if (options.by == TuneBy::time) require_timed(resolved, request);
  const std::string_view name = resolved.algorithm->name;
  Case point = resolved.largest;
  point.options.row_softmax = resolve_row_softmax(name, point, resolved.budget);
  TuneResult result;
  result.warps = options.warps;
  result.point.request = request;
  result.point.problem = point.problem;
  result.point.options = point.options;
  result.point.shapes = point.shapes;
  result.point.budget = resolved.budget;
  try {
    refuse_splits_past_capacity(resolved);
    result.ranked = best_tilings(name, point, resolved.budget, resolved.granularity, options.top);
    for (RankedTiling& ranked : result.ranked.best) ranked.tiling.rule = BlockRule::optimum;
    bill_tiling(result.point, result.with(result.ranked.best.front().tiling));
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
  if (options.by == TuneBy::time && !result.point.refusal) rank_by_time(result, options);
  return result;
}

}  // namespace tilemeter
