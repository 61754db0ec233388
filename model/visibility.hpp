// Which keys a row of a stream sees.
#pragma once

#include <algorithm>
#include <memory>

#include "model/problem.hpp"

namespace tilemeter {

/// Keys [first, last) of one row.
struct KeyRange {
  Count first = 0;
  Count last = 0;
};

/// The mask of a problem, per row of a stream. A packed row p is query position p / group.
class Visibility {
 public:
  explicit Visibility(const Problem& problem)
      : keys_(problem.seq_k),
        rows_per_position_(problem.packing == Packing::packed ? problem.group() : 1),
        offset_(problem.mask.kind == MaskKind::causal_top_left ? 0 : problem.seq_k - problem.seq_q),
        left_(problem.mask.left),
        right_(problem.mask.right),
        pairs_(problem.mask.pairs) {
    const MaskKind kind = problem.mask.kind;
    if (kind == MaskKind::causal || kind == MaskKind::causal_top_left) right_ = 0;
  }

  /// The interval of keys that `row` sees; with an arbitrary mask, all keys (`allows` decides).
  KeyRange keys_of(Count row) const {
    const Count position = row / rows_per_position_ + offset_;
    const Count first = left_ ? clip(position - std::min(*left_, keys_ + std::max<Count>(position, 0))) : 0;
    const Count last = right_ ? clip(position + 1 + std::min(*right_, keys_ + std::max<Count>(-position, 0))) : keys_;
    return {.first = std::min(first, last), .last = last};
  }

  bool allows(Count row, Count key) const { return !pairs_ || pairs_->at(row / rows_per_position_, key); }
  bool is_arbitrary() const { return pairs_ != nullptr; }

 private:
  Count clip(Count key) const { return std::clamp<Count>(key, 0, keys_); }

  Count keys_;
  Count rows_per_position_;
  Count offset_;
  std::optional<Count> left_;
  std::optional<Count> right_;
  std::shared_ptr<const PairMatrix> pairs_;
};

}  // namespace tilemeter
