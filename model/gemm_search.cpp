#include "model/gemm_search.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "model/closed_form/catalog.hpp"
#include "model/tile_counts.hpp"

namespace tilemeter {
namespace {

/// Every order but `no_reuse`, which moves at least what `c_stationary` moves with the same tiles.
constexpr std::array useful_orders = {GemmOrder::c_stationary, GemmOrder::a_stationary, GemmOrder::b_stationary};

/// One of the three extents and the tile size along it.
struct Side {
  Count Tiling::*size;
  Count extent;
};

/// Which sizes of the second side are tried: where the third moves nothing, the largest is best.
enum class Inner { largest, every };

/// Keeps the tiling of least traffic; among equals the one of fewest steps.
class LeastTraffic {
 public:
  LeastTraffic(const TileSearch& search, std::string_view name) : search_(search), name_(name) {}

  void offer(const Case& candidate) {
    const Count traffic = search_.traffic(candidate);
    if (least_ && traffic > *least_) return;
    const Count steps = closed_form(name_, candidate).tiles;
    if (least_ && traffic == *least_ && steps >= steps_) return;
    least_ = traffic;
    steps_ = steps;
    tiling_ = candidate.tiling;
  }
  /// Whether nothing that moves as much as `bound`, or more, can improve on what was offered.
  bool beats(const Case& bound) const { return least_ && search_.traffic(bound) > *least_; }
  /// At least one candidate was offered.
  const Tiling& tiling() const { return tiling_; }

 private:
  const TileSearch& search_;
  std::string_view name_;
  std::optional<Count> least_;
  Count steps_ = 0;
  Tiling tiling_;
};

/// The search over one order: `outer` runs over its compact sizes, `inner` takes the largest that fits beside it, or
/// runs too where all three numbers of tiles count, and `last` takes what room is left.
class OrderSearch {
 public:
  OrderSearch(const TileSearch& search, LeastTraffic& best) : search_(search), best_(best) {}

  void run(const Case& smallest, Side outer, Side inner, Side last, Inner along) {
    Case point = smallest;
    const Count largest = largest_fitting(point, outer);
    for (Count size = compact(outer, largest); size > 0; size = next_smaller(outer, size)) {
      point.tiling.*outer.size = size;
      if (best_.beats(with_whole(with_whole(point, inner), last))) break;
      try_inner(point, inner, last, along);
    }
  }

 private:
  void try_inner(Case point, Side inner, Side last, Inner along) {
    for (Count size = compact(inner, largest_fitting(point, inner)); size > 0; size = next_smaller(inner, size)) {
      point.tiling.*inner.size = size;
      if (best_.beats(with_whole(point, last))) break;
      Case candidate = point;
      candidate.tiling.*last.size = compact(last, largest_fitting(candidate, last));
      best_.offer(candidate);
      if (along == Inner::largest) break;
    }
  }

  /// The largest size along a side that fits beside the other two; the point's own fits.
  Count largest_fitting(Case point, Side side) const {
    return largest_multiple(search_.step(), search_.rounded_up(side.extent), [&](Count size) {
      point.tiling.*side.size = size;
      return search_.fits(point);
    });
  }
  Case with_whole(Case point, Side side) const {
    point.tiling.*side.size = search_.rounded_up(side.extent);
    return point;
  }
  Count compact(Side side, Count size) const { return TileCounts(side.extent, search_.step()).smallest_like(size); }
  Count next_smaller(Side side, Count size) const {
    return TileCounts(side.extent, search_.step()).next_smallest(size);
  }

  const TileSearch& search_;
  LeastTraffic& best_;
};

Case smallest_of(const TileSearch& search, const Case& point) {
  const Count step = search.step();
  return with_product_tiles(point, step, step, step);
}

void try_order(OrderSearch& search, const Case& smallest, const ProductExtents& extents, GemmOrder order) {
  const Side m{&Tiling::block_m, extents.m};
  const Side n{&Tiling::block_n, extents.n};
  const Side k{&Tiling::block_k, extents.k};
  switch (order) {
    case GemmOrder::c_stationary:
      return search.run(smallest, m, n, k, Inner::largest);
    case GemmOrder::a_stationary:
      return search.run(smallest, m, k, n, Inner::largest);
    case GemmOrder::b_stationary:
      return search.run(smallest, n, k, m, Inner::largest);
    case GemmOrder::no_reuse:
      return search.run(smallest, m, n, k, Inner::every);
  }
}

}  // namespace

ProductExtents product_extents(const Formula& formula, const Case& point) {
  const Shapes& shapes = point.shapes;
  if (formula.computation == Computation::layer) return {shapes.tokens, shapes.d_out, shapes.d_in};
  return {shapes.m, shapes.n, shapes.k};
}

Case with_product_tiles(Case point, Count block_m, Count block_n, Count block_k) {
  point.tiling.block_m = block_m;
  point.tiling.block_n = block_n;
  point.tiling.block_k = block_k;
  return point;
}

Tiling largest_product_tiling(const TileSearch& search, const Formula& formula, const Case& point) {
  const ProductExtents extents = product_extents(formula, point);
  const Count rows = search.rounded_up(extents.m);
  const Count cols = search.rounded_up(extents.n);
  search.require_smallest(smallest_of(search, point));
  const auto square = [&](Count size, Count depth) {
    return with_product_tiles(point, std::min(size, rows), std::min(size, cols), depth);
  };
  const Count size = largest_multiple(search.step(), std::max(rows, cols),
                                      [&](Count side) { return search.fits(square(side, search.step())); });
  const Count depth = largest_multiple(search.step(), search.rounded_up(extents.k),
                                       [&](Count along) { return search.fits(square(size, along)); });
  return square(size, depth).tiling;
}

Tiling least_traffic_product_tiling(const TileSearch& search, const Formula& formula, const Case& point) {
  const Case smallest = smallest_of(search, point);
  search.require_smallest(smallest);
  const ProductExtents extents = product_extents(formula, point);
  LeastTraffic best(search, formula.name);
  OrderSearch in_order(search, best);
  if (formula.computation != Computation::gemm || point.options.gemm_order) {
    const bool own = formula.computation == Computation::gemm;
    try_order(in_order, smallest, extents, own ? *point.options.gemm_order : GemmOrder::c_stationary);
    return best.tiling();
  }
  for (const GemmOrder order : useful_orders) {
    Case ordered = smallest;
    ordered.options.gemm_order = order;
    try_order(in_order, ordered, extents, order);
  }
  return best.tiling();
}

GemmOrder least_traffic_order(const Case& point) {
  if (point.options.gemm_order) return *point.options.gemm_order;
  const auto moved = [&](GemmOrder order) {
    Case ordered = point;
    ordered.options.gemm_order = order;
    return closed_form("gemm", ordered).total().total();
  };
  return *std::ranges::min_element(useful_orders, {}, moved);
}

}  // namespace tilemeter
