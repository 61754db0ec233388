#include "model/nan_rows.hpp"

#include <algorithm>

namespace tilemeter {

UnguardedRows::UnguardedRows(const Problem& problem, const Tiling& tiling, Walk walk)
    : visited_(problem, tiling),
      walk_(walk),
      group_(problem.packing == Packing::packed ? problem.group() : 1),
      offset_(problem.mask.kind == MaskKind::causal_top_left ? Wide(0) : Wide(problem.seq_k) - problem.seq_q),
      left_(problem.mask.left),
      right_(problem.mask.right) {
  const MaskKind kind = problem.mask.kind;
  if (kind == MaskKind::arbitrary) throw InputError("--mask arbitrary: its lost rows have no closed form");
  if (kind == MaskKind::causal || kind == MaskKind::causal_top_left) right_ = 0;
}

RowRange UnguardedRows::surviving(Count a) const {
  const TileRange keys = visited_.keys_of(a);
  const Count begin = visited_.queries().begin(a);
  const Count end = begin + visited_.queries().size_of(a);
  if (keys.empty()) return {.first = begin, .last = begin};
  const Count tile = walk_ == Walk::ascending ? keys.first : keys.last - 1;
  const Wide first_key = keys.begin(tile);
  const Wide last_key = first_key + keys.size_of(tile);
  const auto row_at = [&](Wide position) {
    return std::clamp((position - offset_) * group_, Wide(begin), Wide(end)).narrow();
  };
  const Count first = right_ ? row_at(first_key - *right_) : begin;
  const Count last = left_ ? row_at(last_key + *left_) : end;
  return {.first = first, .last = std::max(first, last)};
}

Count UnguardedRows::lost(UnvisitedRows unvisited) const {
  Count rows = 0;
  for (Count a = 0; a < query_tiles(); ++a) {
    if (unvisited == UnvisitedRows::untouched && visited_.keys_of(a).empty()) continue;
    const RowRange kept = surviving(a);
    rows += visited_.queries().size_of(a) - (kept.last - kept.first);
  }
  return rows;
}

}  // namespace tilemeter
