// What the tile rules share: which sizes fit, the largest that does, and how the message names a tiling.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "model/on_chip.hpp"
#include "model/problem.hpp"
#include "model/tile_counts.hpp"
#include "model/tiling_rule.hpp"

namespace tilemeter {

/// The largest multiple of `step` in [step, limit] that `suits`, given that `step` does and that a size suits whenever
/// a larger one does. `limit` is a multiple of `step`.
template <class Predicate>
Count largest_multiple(Count step, Count limit, Predicate suits) {
  Count low = 1;
  Count high = std::max(Count{1}, limit / step);
  while (low < high) {
    const Count middle = low + (high - low + 1) / 2;
    if (suits(middle * step)) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low * step;
}

/// The tilings of one algorithm on one problem under one budget. Refers to its arguments; they must outlive it.
class TileSearch {
 public:
  TileSearch(std::string_view algorithm, const Case& point, const Budget& budget, TileGranularity granularity);

  Count step() const { return step_; }
  /// The largest useful sizes: the problem's, rounded up to the step, at least one step.
  Count row_limit() const { return row_limit_; }
  Count key_limit() const { return key_limit_; }
  /// `size` rounded up (down) to a multiple of the step, at least one step.
  Count rounded_up(Count size) const;
  Count rounded_down(Count size) const;

  /// Numbers of query (key) tiles by their size.
  TileCounts row_counts() const { return {point_.problem.rows(), step_}; }
  TileCounts key_counts() const { return {point_.problem.seq_k, step_}; }

  /// The point with other tile sizes.
  Case with(Count block_q, Count block_k) const;
  Case with(Count block_q, Count block_k, Count block_d) const;

  bool fits(const Case& point) const;
  bool fits(Count block_q, Count block_k) const { return fits(with(block_q, block_k)); }

  /// Throws InputError that says what the smallest tiling needs, unless it fits.
  void require_smallest(const Case& smallest) const;

  /// Traffic of `point` in the unit of the budget: elements for a budget in elements, else bytes.
  Count traffic(const Case& point) const;

 private:
  std::string_view algorithm_;
  const Case& point_;
  const Budget& budget_;
  Count step_;
  Count row_limit_;
  Count key_limit_;
};

/// Size of a tiling as messages print it: "128x64", with block_d for GEMM tiles: "128x64x32"; block_m, block_n and
/// block_k of a single product: "128x64x32"; the piece of a row: "128".
std::string shape_text(std::string_view algorithm, const Case& point);

/// What a capacity message is about: "flash2 128x64, d=256, bf16". Budgets in elements leave the type out.
std::string capacity_subject(std::string_view algorithm, const Case& point, const Budget& budget);

/// capacity_message of the first kernel that passes the budget by most.
std::string kernel_capacity_message(std::string_view algorithm, const Case& point, const Budget& budget);

}  // namespace tilemeter
