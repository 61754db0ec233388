#include "tools/tune/tune.hpp"

#include <algorithm>
#include <limits>

#include "model/closed_form/catalog.hpp"
#include "model/footprint.hpp"
#include "model/gemm_search.hpp"
#include "sim/catalog.hpp"
#include "tools/options/text.hpp"
#include "tools/resolve.hpp"
#include "tools/time/timed_point.hpp"

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

void require_timed(const ResolvedPoint& point, const PointRequest& request) {
  if (!request.device) throw InputError("--by time: a time needs --device NAME");
  if (has_sequences(point.algorithm->computation())) return;
  throw InputError("--by time: no list of tile sizes exists for --algorithm " + std::string(point.algorithm->name) +
                   ", which is tuned by traffic");
}

double seconds_of(const TuneResult& result, const HardwareCandidate& candidate) {
  PointResult point = result.point;
  bill(point, result.with(candidate.tiling));
  const auto with_its_warps = [&](std::string_view name, const Case& tiled, const Device& device) {
    Execution execution = default_execution(name, tiled, device);
    if (execution.matrix == MatrixPath::wgmma) return execution;
    execution.math_warps = candidate.warps;
    execution.threads = candidate.warps * warp_threads;
    return execution;
  };
  return timed(point, with_its_warps).estimate.seconds;
}

/// Times the candidates that fit, puts the fastest first and makes the first `top` that do not spill the best.
void rank_by_time(TuneResult& result, std::size_t top) {
  for (HardwareCandidate& candidate : result.candidates) {
    if (!candidate.rejected()) candidate.seconds = seconds_of(result, candidate);
  }
  const auto place = [](const HardwareCandidate& candidate) {
    return std::pair(candidate.spills, candidate.seconds.value_or(std::numeric_limits<double>::infinity()));
  };
  const auto end = std::find_if(result.candidates.begin(), result.candidates.end(),
                                [](const HardwareCandidate& candidate) { return candidate.rejected(); });
  std::stable_sort(result.candidates.begin(), end, [&](const auto& a, const auto& b) { return place(a) < place(b); });
  result.ranked = {.best = {}, .tried = end - result.candidates.begin(), .exhaustive = false};
  for (auto it = result.candidates.begin(); it != end && !it->spills && result.ranked.best.size() < top; ++it) {
    result.ranked.best.push_back({.tiling = it->tiling, .traffic = it->traffic->total_bytes().value()});
  }
  if (!result.ranked.best.empty()) return bill(result.point, result.with(result.ranked.best.front().tiling));
  result.point.fits = false;
  result.point.refusal = "--by time: none of the tile sizes that kernels use fits without spilling";
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
  if (options.by == TuneBy::time) require_timed(resolved, request);
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
  if (options.by == TuneBy::time && !result.point.refusal) rank_by_time(result, options.top);
  return result;
}

}  // namespace tilemeter
