#include "model/tiling_optimum.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "model/closed_form/catalog.hpp"
#include "model/wide.hpp"

namespace tilemeter {
namespace {

constexpr Count most_tilings_tried = Count{1} << 20;

/// Keeps the tiling of least traffic, the first among equals, and how many were tried.
class Best {
 public:
  explicit Best(const TileSearch& search) : search_(search) {}

  void offer(const Case& candidate) {
    const Count traffic = search_.traffic(candidate);
    ++tried_;
    if (traffic < least_) {
      least_ = traffic;
      tiling_ = candidate.tiling;
    }
  }
  bool exhausted() const { return tried_ >= most_tilings_tried; }
  /// Whether a tiling that moves at least `bound` cannot improve on what was offered.
  bool beats(Wide bound) const { return tiling_ && bound >= Wide(least_); }
  /// At least one candidate was offered.
  const Tiling& tiling() const { return *tiling_; }

 private:
  const TileSearch& search_;
  Count least_ = std::numeric_limits<Count>::max();
  Count tried_ = 0;
  std::optional<Tiling> tiling_;
};

/// FA-1 and FA-2 in one: the streaming size divides the traffic (block_k for K/V outer, block_q for Q outer), the
/// companion is the other one.
class StreamingOptimum {
 public:
  StreamingOptimum(const TileSearch& search, const Formula& formula, const Case& point)
      : search_(search), kv_outer_(formula.order == LoopOrder::kv_outer), streamed_(formula.streamed), point_(point) {}

  Tiling tiling() const {
    const Count largest = largest_size();
    if (row_splits() > 1 || streamed_ != StreamedTile::indifferent) return least_over_pairs(largest);
    if (point_.problem.mask.kind == MaskKind::none) return sized(largest, largest_companion(largest)).tiling;
    const Count size = least_with_smallest_companion(largest);
    return with_largest_equal_companion(size);
  }

 private:
  Count step() const { return search_.step(); }
  Count row_splits() const { return kv_outer_ ? point_.options.row_splits : 1; }
  Count size_limit() const { return kv_outer_ ? search_.key_limit() : search_.row_limit(); }
  Count companion_limit() const { return kv_outer_ ? search_.row_limit() : search_.key_limit(); }
  Case sized(Count size, Count companion) const {
    return kv_outer_ ? search_.with(companion, size) : search_.with(size, companion);
  }

  Count largest_size() const {
    return largest_multiple(step(), size_limit(), [&](Count size) { return search_.fits(sized(size, step())); });
  }
  Count largest_companion(Count size) const {
    return largest_multiple(step(), companion_limit(),
                            [&](Count companion) { return search_.fits(sized(size, companion)); });
  }

  /// Traffic per row of the outer tile that passes by one streamed tile, in the unit of the search.
  Count traffic_per_row() const {
    const Problem& problem = point_.problem;
    const auto weigh = [&](Count elements, DType type) { return checked::multiply(elements, search_.weight(type)); };
    const Count operands = checked::add(problem.head_dim, problem.head_dim_v);
    if (!kv_outer_) return weigh(operands, problem.dtype);
    const Count passes = point_.options.first_visit == FirstVisit::reads_state ? 2 : 1;
    const Count output = checked::multiply(passes, weigh(problem.head_dim_v, problem.o_dtype));
    return checked::add(weigh(problem.head_dim, problem.dtype),
                        checked::add(output, weigh(2 * passes, problem.stat_dtype)));
  }

  /// No tiling of this size moves less: each visible pair lies in a visited tile, and a row in it covers `size` pairs
  /// at most, unless a tile that stays serves several row blocks.
  Wide least_possible(Wide pair_traffic, Count size) const {
    return streamed_ == StreamedTile::stays ? Wide(0) : floor_div(pair_traffic, size);
  }
  Wide pair_traffic() const { return Wide(visible_pairs(point_.problem)) * traffic_per_row(); }

  Count least_with_smallest_companion(Count largest) const {
    Best best(search_);
    const Wide pairs = pair_traffic();
    for (Count size = largest; size >= step() && !best.exhausted(); size -= step()) {
      if (best.beats(least_possible(pairs, size))) break;
      best.offer(sized(size, step()));
    }
    return kv_outer_ ? best.tiling().block_k : best.tiling().block_q;
  }

  /// With row splits, few large query tiles leave some blocks without work, which then load no K and V; with splits of
  /// the keys, or a tile that stays, the streamed size matters in itself.
  Tiling least_over_pairs(Count largest) const {
    Best best(search_);
    const Wide pairs = pair_traffic();
    for (Count size = largest; size >= step() && !best.exhausted(); size -= step()) {
      if (best.beats(least_possible(pairs, size))) break;
      for (Count companion = largest_companion(size); companion >= step(); companion -= step()) {
        best.offer(sized(size, companion));
        if (best.exhausted()) break;
      }
    }
    return best.tiling();
  }

  Tiling with_largest_equal_companion(Count size) const {
    const Count largest = std::min(largest_companion(size), checked::multiply(most_tilings_tried, step()));
    const Count least = search_.traffic(sized(size, step()));
    Count companion = largest;
    while (companion > step() && search_.traffic(sized(size, companion)) > least) companion -= step();
    return sized(size, companion).tiling;
  }

  const TileSearch& search_;
  bool kv_outer_;
  StreamedTile streamed_;
  const Case& point_;
};

/// The sizes of tiles along `extent` that need different numbers of tiles, each as small as its number allows.
class CompactSizes {
 public:
  CompactSizes(const TileSearch& search, Count extent) : search_(search), extent_(std::max(Count{1}, extent)) {}

  /// The compact size that needs as many tiles as `size`, or as few as multiples of the step allow.
  Count at_most(Count size) const { return search_.rounded_up(ceil_div(extent_, ceil_div(extent_, size))); }
  /// The next smaller one; zero after one step.
  Count after(Count size) const { return size <= search_.step() ? 0 : at_most(size - search_.step()); }

 private:
  const TileSearch& search_;
  Count extent_;
};

class GemmOptimum {
 public:
  GemmOptimum(const TileSearch& search, const Case& point)
      : search_(search),
        point_(point),
        rows_(search, point.problem.rows()),
        keys_(search, point.problem.seq_k),
        columns_(search, point.problem.head_dim_v),
        best_(search) {}

  Tiling tiling() {
    if (point_.tiling.block_d != 0) {
      try_depth(point_.tiling.block_d);
    } else {
      const Count whole = search_.rounded_up(point_.problem.head_dim_v);
      for (Count depth = columns_.at_most(whole); depth > 0; depth = columns_.after(depth)) try_depth(depth);
    }
    Tiling tiling = best_.tiling();
    if (tiling.block_d >= std::max(point_.problem.head_dim, point_.problem.head_dim_v)) tiling.block_d = 0;
    return tiling;
  }

 private:
  void try_depth(Count depth) {
    const Count step = search_.step();
    if (!search_.fits(search_.with(step, step, depth))) return;
    const Count largest = largest_multiple(step, search_.row_limit(),
                                           [&](Count rows) { return search_.fits(search_.with(rows, step, depth)); });
    for (Count rows = rows_.at_most(largest); rows > 0 && !best_.exhausted(); rows = rows_.after(rows)) {
      if (best_.beats(search_.traffic(search_.with(rows, search_.key_limit(), depth)))) break;
      const Count keys = largest_multiple(step, search_.key_limit(),
                                          [&](Count size) { return search_.fits(search_.with(rows, size, depth)); });
      best_.offer(search_.with(rows, keys_.at_most(keys), depth));
    }
  }

  const TileSearch& search_;
  const Case& point_;
  CompactSizes rows_;
  CompactSizes keys_;
  CompactSizes columns_;
  Best best_;
};

/// Two products in steps of one: block_k cuts the keys and the columns of V, so it counts as large as either.
class OuterProductOptimum {
 public:
  OuterProductOptimum(const TileSearch& search, const Case& point)
      : search_(search),
        rows_(search, point.problem.rows()),
        keys_(search, point.problem.seq_k),
        columns_(search, point.problem.head_dim_v),
        widest_(std::max(search.key_limit(), search.rounded_up(point.problem.head_dim_v))),
        best_(search) {}

  Tiling tiling() {
    const Count step = search_.step();
    const Count tallest =
        largest_multiple(step, search_.row_limit(), [&](Count rows) { return search_.fits(search_.with(rows, step)); });
    for (Count rows = rows_.at_most(tallest); rows > 0 && !best_.exhausted(); rows = rows_.after(rows)) {
      if (best_.beats(search_.traffic(search_.with(rows, widest_)))) break;
      const Count width =
          largest_multiple(step, widest_, [&](Count size) { return search_.fits(search_.with(rows, size)); });
      best_.offer(search_.with(rows, std::max(keys_.at_most(width), columns_.at_most(width))));
    }
    return best_.tiling();
  }

 private:
  const TileSearch& search_;
  CompactSizes rows_;
  CompactSizes keys_;
  CompactSizes columns_;
  Count widest_;
  Best best_;
};

}  // namespace

Tiling least_traffic_tiling(const TileSearch& search, const Formula& formula, const Case& point) {
  const Count step = search.step();
  if (formula.order == LoopOrder::outer_product) {
    search.require_smallest(search.with(step, step));
    return OuterProductOptimum(search, point).tiling();
  }
  if (formula.order != LoopOrder::gemm) {
    search.require_smallest(search.with(step, step));
    return StreamingOptimum(search, formula, point).tiling();
  }
  const Count depth = point.tiling.block_d == 0 ? step : point.tiling.block_d;
  search.require_smallest(search.with(step, step, depth));
  return GemmOptimum(search, point).tiling();
}

}  // namespace tilemeter
