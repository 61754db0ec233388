#include "model/geometry.hpp"

#include <algorithm>
#include <numeric>

namespace tilemeter {
namespace {

/// First step in [0, count) for which the monotone `holds` is true, else `count`.
template <class Predicate>
Count first_where(Count count, Predicate holds) {
  Count low = 0;
  Count high = count;
  while (low < high) {
    const Count middle = low + (high - low) / 2;
    if (holds(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

/// Cuts [0, count) at `cuts` and groups each piece by residue modulo `period`.
std::vector<Run> periodic_runs(Count count, std::vector<Count> cuts, Count period) {
  cuts.insert(cuts.end(), {0, count});
  for (Count& cut : cuts) cut = std::clamp<Count>(cut, 0, count);
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  std::vector<Run> runs;
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    const Count length = cuts[i + 1] - cuts[i];
    for (Count residue = 0; residue < std::min(period, length); ++residue) {
      runs.push_back({.first = cuts[i] + residue, .step = period, .count = ceil_div(length - residue, period)});
    }
  }
  return runs;
}

Count clipped_tile(Wide tile, Count tiles) { return std::clamp(tile, Wide(0), Wide(tiles)).narrow(); }

/// Steps after which `step_size` positions are a whole number of tiles of `tile_size`.
Count period_of(Wide step_size, Count tile_size) {
  const Wide remainder = floor_mod(step_size, tile_size);
  return tile_size / std::gcd(remainder.narrow(), tile_size);
}

}  // namespace

TileRange all_tiles(Count extent, Count size) {
  const Count clipped = std::max<Count>(1, std::min(extent, size));
  return {.first = 0, .last = ceil_div(extent, clipped), .extent = extent, .size = clipped};
}

std::vector<Run> single_runs(Count count) { return periodic_runs(count, {}, std::max<Count>(count, 1)); }

std::vector<Run> runs_of(const TileRange& tiles) { return periodic_runs(tiles.length(), {tiles.full_length()}, 1); }

VisitedTiles::VisitedTiles(const Problem& problem, const Tiling& tiling)
    : queries_(all_tiles(problem.rows(), tiling.block_q)),
      keys_(all_tiles(problem.seq_k, tiling.block_k)),
      group_(problem.packing == Packing::packed ? problem.group() : 1),
      offset_(Wide(problem.seq_k) - Wide(problem.seq_q)),
      left_(problem.mask.left),
      right_(problem.mask.right) {
  if (problem.mask.kind == MaskKind::causal) right_ = 0;
  if (problem.mask.kind == MaskKind::causal_top_left) {
    right_ = 0;
    offset_ = Wide(0);
    const Count reached = ceil_div(problem.seq_q, keys_.size);
    keys_.last = std::min(keys_.last, reached);
    keys_.extent = reached < ceil_div(keys_.extent, keys_.size) ? reached * keys_.size : keys_.extent;
  }
}

Wide VisitedTiles::reach_end(Count a) const {
  const Wide last_row = Wide(a + 1) * Wide(queries_.size) - Wide(1);
  return floor_div(last_row, group_) + Wide(1) + offset_ + Wide(right_.value_or(0));
}

Wide VisitedTiles::reach_begin(Count a) const {
  return floor_div(Wide(a) * Wide(queries_.size), group_) + offset_ - Wide(left_.value_or(0));
}

Wide VisitedTiles::rows_begin(Count j) const {
  return (Wide(j) * Wide(keys_.size) - offset_ - Wide(right_.value_or(0))) * Wide(group_);
}

Wide VisitedTiles::rows_end(Count j) const {
  return (Wide(j + 1) * Wide(keys_.size) - offset_ + Wide(left_.value_or(0))) * Wide(group_);
}

TileRange VisitedTiles::keys_of(Count a) const {
  TileRange range = keys_;
  if (right_) range.last = clipped_tile(ceil_div(reach_end(a), keys_.size), keys_.last);
  if (left_) range.first = clipped_tile(floor_div(reach_begin(a), keys_.size), range.last);
  return range;
}

Count VisitedTiles::cut_of(Count a) const {
  const TileRange range = keys_of(a);
  TileRange whole = range;
  if (right_) {
    const Wide end = floor_div(Wide(a) * Wide(queries_.size), group_) + Wide(1) + offset_ + Wide(*right_);
    if (end < Wide(keys_.extent)) whole.last = clipped_tile(floor_div(end, keys_.size), range.last);
  }
  if (left_) {
    const Wide last_row = Wide(std::min((a + 1) * queries_.size, queries_.extent) - 1);
    const Wide begin = floor_div(last_row, group_) + offset_ - Wide(*left_);
    whole.first = std::max(range.first, clipped_tile(ceil_div(begin, keys_.size), range.last));
  }
  return range.length() - whole.length();
}

TileRange VisitedTiles::queries_of(Count j) const {
  TileRange range = queries_;
  if (left_) range.last = clipped_tile(ceil_div(rows_end(j), queries_.size), queries_.last);
  if (right_) range.first = clipped_tile(floor_div(rows_begin(j), queries_.size), range.last);
  return range;
}

TileRange VisitedTiles::first_met_by(Count j, Walk walk) const {
  TileRange range = queries_of(j);
  if (walk == Walk::ascending && j > 0) range.first = std::clamp(queries_of(j - 1).last, range.first, range.last);
  if (walk == Walk::descending && j + 1 < key_tiles()) {
    range.last = std::clamp(queries_of(j + 1).first, range.first, range.last);
  }
  return range;
}

Count VisitedTiles::query_period() const {
  return left_ || right_ ? period_of(queries_.size, (Wide(keys_.size) * Wide(group_)).narrow()) : 1;
}

std::vector<Run> VisitedTiles::query_runs(const TileRange& part) const {
  const Count count = query_tiles();
  std::vector<Count> cuts = {count - 1};
  const auto end = [&](Count a) { return ceil_div(reach_end(a), keys_.size); };
  const auto begin = [&](Count a) { return floor_div(reach_begin(a), keys_.size); };
  if (right_) {
    cuts.push_back(first_where(count, [&](Count a) { return end(a) > Wide(part.first); }));
    cuts.push_back(first_where(count, [&](Count a) { return end(a) >= Wide(part.last); }));
  }
  if (left_) {
    cuts.push_back(first_where(count, [&](Count a) { return begin(a) >= Wide(part.first); }));
    cuts.push_back(first_where(count, [&](Count a) { return begin(a) >= Wide(part.last); }));
  }
  return periodic_runs(count, cuts, query_period());
}

std::vector<Run> VisitedTiles::query_walk_runs() const {
  const Count count = query_tiles();
  std::vector<Count> cuts = {1, count - 1};
  const auto cut_at = [&](Count step) { cuts.insert(cuts.end(), {step, step + 1}); };
  if (right_) {
    cut_at(first_where(count, [&](Count a) { return reach_end(a) > Wide(0); }));
    cut_at(first_where(count, [&](Count a) { return ceil_div(reach_end(a), keys_.size) >= Wide(keys_.last); }));
  }
  if (left_) {
    cut_at(first_where(count, [&](Count a) { return reach_begin(a) >= Wide(0); }));
    cut_at(first_where(count, [&](Count a) { return floor_div(reach_begin(a), keys_.size) >= Wide(keys_.last - 1); }));
  }
  const Count period = std::min(query_period(), std::max<Count>(count, 1));
  return periodic_runs(count, cuts, named("a period of query tiles", [&] { return checked::multiply(2, period); }));
}

std::vector<Run> VisitedTiles::key_runs() const {
  const Count count = key_tiles();
  std::vector<Count> cuts = {1, count - 1};
  const auto cut_at = [&](Count step) { cuts.insert(cuts.end(), {step - 1, step, step + 1}); };
  if (left_) {
    cut_at(first_where(count, [&](Count j) { return rows_end(j) > Wide(0); }));
    cut_at(first_where(count, [&](Count j) { return ceil_div(rows_end(j), queries_.size) >= Wide(queries_.last); }));
  }
  if (right_) cut_at(first_where(count, [&](Count j) { return rows_begin(j) >= Wide(0); }));
  const bool masked = left_ || right_;
  return periodic_runs(count, cuts, masked ? period_of(Wide(keys_.size) * Wide(group_), queries_.size) : 1);
}

double cut_tiles(const Problem& problem, const Tiling& tiling) {
  constexpr Count most_looked_at = 4096;
  if (problem.mask.kind == MaskKind::none) return 0;
  const VisitedTiles visited(problem, tiling);
  const Count step = std::max<Count>(1, visited.query_tiles() / most_looked_at);
  double cut = 0;
  Count looked_at = 0;
  for (Count a = 0; a < visited.query_tiles(); a += step, ++looked_at) cut += static_cast<double>(visited.cut_of(a));
  const double share = static_cast<double>(visited.query_tiles()) / static_cast<double>(std::max<Count>(1, looked_at));
  return static_cast<double>(problem.streams()) * cut * share;
}

}  // namespace tilemeter
