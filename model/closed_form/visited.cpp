#include "model/closed_form/visited.hpp"

#include <algorithm>
#include <optional>

#include "model/closed_form/floor_sum.hpp"

namespace tilemeter {
namespace {

Wide clip(Wide value, Wide top) { return std::clamp(value, Wide(0), top); }

/// Visible keys of the query at position r: r + shift - left ... r + shift + right; an absent side is unlimited.
struct Diagonal {
  Wide shift;
  std::optional<Wide> left;
  std::optional<Wide> right;
};

Diagonal diagonal_of(const Problem& problem) {
  const Wide shift = Wide(problem.seq_k) - problem.seq_q;
  Diagonal diagonal{.shift = shift, .left = std::nullopt, .right = std::nullopt};
  switch (problem.mask.kind) {
    case MaskKind::none:
      break;
    case MaskKind::causal:
      diagonal.right = 0;
      break;
    case MaskKind::causal_top_left:
      diagonal = {.shift = 0, .left = std::nullopt, .right = 0};
      break;
    case MaskKind::window:
      // A side that reaches past the matrix from every row is no limit.
      if (problem.mask.left && *problem.mask.left < problem.seq_k) diagonal.left = *problem.mask.left;
      if (problem.mask.right && *problem.mask.right < problem.seq_q) diagonal.right = *problem.mask.right;
      break;
    case MaskKind::arbitrary:
      throw InputError("--mask arbitrary: its tiles have no closed form");
  }
  return diagonal;
}

Wide visible_keys(const Problem& problem, Count block_k) {
  if (problem.mask.kind != MaskKind::causal_top_left) return problem.seq_k;
  const Wide reached = ceil_div(Wide(problem.seq_q), Wide(block_k)) * block_k;
  return std::min(Wide(problem.seq_k), reached);
}

Staircase constant(Wide value) { return {.slope = 0, .offset = value, .step = 1, .top = value}; }

}  // namespace

Wide Staircase::at(Wide a) const { return clip(floor_div(slope * a + offset, step), top); }

Wide Staircase::first_reaching(Wide value, Wide limit) const {
  const Wide missing = value * step - offset;
  if (missing <= Wide(0)) return 0;
  return slope == Wide(0) ? limit : std::min(limit, ceil_div(missing, slope));
}

Wide Staircase::sum(Wide begin, Wide end) const {
  if (begin >= end || top <= Wide(0)) return 0;
  const Wide rising = std::max(begin, first_reaching(1, end));
  const Wide full = std::max(rising, first_reaching(top, end));
  return floor_sum(full - rising, step, slope, slope * rising + offset) + (end - full) * top;
}

Staircase Staircase::every_second(Wide first) const { return {slope * 2, offset + slope * first, step, top}; }

VisitedSums::VisitedSums(const Problem& problem, Count block_q, Count block_k)
    : rows_(problem.rows()), keys_(visible_keys(problem, block_k)) {
  block_q_ = std::min(Wide(block_q), std::max(rows_, Wide(1)));
  block_k_ = std::min(Wide(block_k), std::max(keys_, Wide(1)));
  query_tiles_ = ceil_div(rows_, block_q_);
  key_tiles_ = ceil_div(keys_, block_k_);
  row_padding_ = query_tiles_ * block_q_ - rows_;
  key_padding_ = key_tiles_ * block_k_ - keys_;

  // Positions times `group` make packed rows, at position row / group, a line of slope block_q as well.
  const Wide group = problem.packing == Packing::packed ? problem.group() : 1;
  const Diagonal diagonal = diagonal_of(problem);
  const Wide step = group * block_k_;
  begin_ = constant(0);
  end_ = constant(key_tiles_);
  if (diagonal.left) begin_ = {block_q_, group * (diagonal.shift - *diagonal.left), step, key_tiles_};
  if (diagonal.right) {
    end_ = {block_q_, block_q_ - 1 + group * (diagonal.shift + *diagonal.right) + step, step, key_tiles_};
  }
  tiles_ = end_.sum(0, query_tiles_) - begin_.sum(0, query_tiles_);
}

Wide VisitedSums::query_tiles_reaching_last_key() const {
  return key_tiles_ > Wide(0) ? query_tiles_ - end_.first_reaching(key_tiles_, query_tiles_) : 0;
}

Wide VisitedSums::key_rows_streamed() const {
  return block_k_ * tiles_ - key_padding_ * query_tiles_reaching_last_key();
}

Wide VisitedSums::query_rows_streamed() const {
  if (query_tiles_ == Wide(0)) return 0;
  return block_q_ * tiles_ - row_padding_ * key_tiles_of(query_tiles_ - 1);
}

Wide VisitedSums::scores() const {
  if (tiles_ == Wide(0)) return 0;
  const Wide last = query_tiles_ - 1;
  const Wide keys_of_last = min(keys_, end_.at(last) * block_k_) - begin_.at(last) * block_k_;
  return block_q_ * key_rows_streamed() - row_padding_ * keys_of_last;
}

/// Visited tiles (a, j) of which (a - distance, j) is visited too: the overlap of two ranges of key tiles, over all a.
/// Both boundaries of the mask have one slope, so that either every overlap begin(a) ... end(a - distance) - 1 is
/// empty, or none has negative length.
Wide VisitedSums::shared_with_earlier(Wide distance) const {
  if (distance >= query_tiles_) return 0;
  const bool diagonal_on_both_sides = begin_.slope > Wide(0) && end_.slope > Wide(0);
  if (diagonal_on_both_sides && begin_.offset + distance * block_q_ >= end_.offset) return 0;
  return end_.sum(0, query_tiles_ - distance) - begin_.sum(distance, query_tiles_);
}

Wide VisitedSums::key_rows_loaded(Count splits) const {
  // A split loads key tile j once: at the first of its query tiles that visits j, the one whose predecessor does not.
  const Wide loads = tiles_ - shared_with_earlier(splits);
  const Wide loads_of_last = min(Wide(splits), query_tiles_reaching_last_key());
  return block_k_ * loads - key_padding_ * loads_of_last;
}

Wide VisitedSums::count_from(Wide first, Count parity) const {
  const Wide begin = first + floor_mod(Wide(parity) - first, 2);
  return begin < query_tiles_ ? ceil_div(query_tiles_ - begin, 2) : Wide(0);
}

Wide VisitedSums::resting(const Staircase& boundary, Wide first, Count parity) const {
  const Wide begin = first + floor_mod(Wide(parity) - first, 2);
  const Wide count = count_from(first, parity);
  if (boundary.slope <= boundary.step) {  // it moves by at most one tile, so that the sum of its moves counts them
    const Wide moves = boundary.every_second(begin).sum(0, count) - boundary.every_second(begin - 1).sum(0, count);
    return count - moves;
  }
  // It moves every time but where it is clipped: at 0, up to the last such query tile, and at the top.
  const Wide rising = boundary.first_reaching(1, query_tiles_);
  const Wide at_top = boundary.first_reaching(boundary.top, query_tiles_);
  const Wide at_zero = rising > first ? count - count_from(rising, parity) : Wide(0);
  return at_zero + count_from(std::max(first, at_top + 1), parity);
}

Wide VisitedSums::key_rows_kept() const {
  if (tiles_ == Wide(0)) return 0;
  const Wide first = first_live_tile() + 1;  // the first query tile with a live one before it
  const Wide last_key_tile = key_tiles_ - 1;
  const Wide reach_last = end_.first_reaching(key_tiles_, query_tiles_);
  const Wide leave_others = last_key_tile > Wide(0) ? begin_.first_reaching(last_key_tile, query_tiles_) : Wide(0);
  const Wide kept = resting(end_, first, 1) + resting(begin_, first, 0);
  const Wide kept_last =
      count_from(std::max(first, reach_last + 1), 1) + count_from(std::max(first, leave_others + 1), 0);
  return block_k_ * kept - key_padding_ * kept_last;
}

Wide VisitedSums::key_pages_streamed(Count page) const {
  const Wide pages = ceil_div(block_k_, Wide(page));
  const Wide pages_of_last = ceil_div(block_k_ - key_padding_, Wide(page));
  return pages * tiles_ - (pages - pages_of_last) * query_tiles_reaching_last_key();
}

}  // namespace tilemeter
