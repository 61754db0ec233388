#include "tools/tune/ranking.hpp"

#include <algorithm>
#include <tuple>

#include "model/closed_form/catalog.hpp"
#include "model/footprint.hpp"
#include "sim/catalog.hpp"
#include "tools/time/timed_point.hpp"

namespace tilemeter {
namespace {

/// A candidate as a point with its time in closed form.
struct TimedCandidate {
  PointResult point;
  TimedPoint time;
};

TimedCandidate timed_candidate(const TuneResult& result, const HardwareCandidate& candidate) {
  TimedCandidate timed_one{.point = result.point, .time = {}};
  bill_tiling(timed_one.point, result.with(candidate.tiling));
  const auto with_its_warps = [&](std::string_view name, const Case& tiled, const Device& device) {
    Execution execution = default_execution(name, tiled, device);
    if (execution.matrix == MatrixPath::wgmma) return execution;
    execution.math_warps = candidate.block->warps;
    execution.threads = candidate.block->warps * warp_threads;
    return execution;
  };
  timed_one.time = timed(timed_one.point, with_its_warps);
  return timed_one;
}

/// The engine's seconds; nothing where it would take too long.
std::optional<double> simulated_seconds(const TimedCandidate& candidate) {
  try {
    return seconds_of(simulated(candidate.point, candidate.time, {.most = most_candidate_events}).time);
  } catch (const TooManyEvents&) {
    return std::nullopt;
  }
}

/// Spilling last, then what the engine ran, then the least time; rejected ones have none and are left out.
auto place_by_time(const HardwareCandidate& candidate) {
  return std::tuple(candidate.spills(), !candidate.simulated, candidate.simulated.value_or(*candidate.seconds));
}

}  // namespace

void bill_tiling(PointResult& result, const Case& tiled) {
  const std::string_view name = result.request.algorithm->name;
  result.tiling = tiled.tiling;
  result.memory.tiles = on_chip_tiles(name, tiled);
  result.memory.peak = footprint_of(result.memory.tiles);
  result.closed = result.counted = closed_form(name, tiled);
  result.compulsory = compulsory(name, tiled);
  result.expression = expression_of(name, tiled);
  if (has_sequences(result.request.algorithm->computation())) {
    result.pairs = visible_pairs(tiled.problem);
    result.empty_rows = empty_rows(tiled.problem);
  }
}

void rank_by_time(TuneResult& result, const TuneOptions& options) {
  const auto begin = result.candidates.begin();
  const auto end = std::find_if(begin, result.candidates.end(), [](const auto& each) { return each.rejected(); });
  const auto sort = [&] {
    std::stable_sort(begin, end, [](const auto& a, const auto& b) { return place_by_time(a) < place_by_time(b); });
  };
  std::for_each(begin, end, [&](auto& each) { each.seconds = timed_candidate(result, each).time.estimate.seconds; });
  sort();
  const auto spilling = std::find_if(begin, end, [](const auto& each) { return each.spills(); });
  const auto fastest =
      begin + std::min<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(options.simulate), spilling - begin);
  std::for_each(begin, fastest, [&](auto& each) { each.simulated = simulated_seconds(timed_candidate(result, each)); });
  sort();
  result.simulated =
      static_cast<std::size_t>(std::count_if(begin, fastest, [](const auto& c) { return !!c.simulated; }));
  result.ranked = {.best = {}, .tried = end - begin, .exhaustive = false};
  for (auto it = begin; it != spilling && result.ranked.best.size() < options.top; ++it) {
    result.ranked.best.push_back({.tiling = it->tiling, .traffic = it->traffic->total_bytes().value()});
  }
  if (!result.ranked.best.empty()) return bill_tiling(result.point, result.with(result.ranked.best.front().tiling));
  result.point.fits = false;
  result.point.refusal = "--by time: none of the tile sizes that kernels use fits without spilling";
}

}  // namespace tilemeter
