#include "model/gemm_tiling_optimum.hpp"

#include <algorithm>

#include "model/tile_counts.hpp"

namespace tilemeter {
namespace {

class GemmOptimum {
 public:
  GemmOptimum(const TileSearch& search, const Case& point, SearchExtent extent)
      : search_(search),
        point_(point),
        rows_(search.row_counts()),
        keys_(search.key_counts()),
        columns_(point.problem.head_dim_v, search.step()),
        leaders_(search, extent) {}

  RankedTilings tilings() {
    if (point_.tiling.block_d != 0) {
      try_depth(point_.tiling.block_d);
    } else {
      const Count whole = search_.rounded_up(point_.problem.head_dim_v);
      for (Count depth = columns_.smallest_like(whole); depth > 0; depth = columns_.next_smallest(depth))
        try_depth(depth);
    }
    const Count whole = std::max(point_.problem.head_dim, point_.problem.head_dim_v);
    leaders_.replace([&](const RankedTiling& leader) {
      Tiling tiling = leader.tiling;
      if (tiling.block_d >= whole) tiling.block_d = 0;
      return tiling;
    });
    return leaders_.found();
  }

 private:
  void try_depth(Count depth) {
    const Count step = search_.step();
    if (!search_.fits(search_.with(step, step, depth))) return;
    const Count largest = largest_multiple(step, search_.row_limit(),
                                           [&](Count rows) { return search_.fits(search_.with(rows, step, depth)); });
    for (Count rows = rows_.smallest_like(largest); rows > 0 && !leaders_.exhausted();
         rows = rows_.next_smallest(rows)) {
      if (leaders_.beat(search_.traffic(search_.with(rows, search_.key_limit(), depth)))) break;
      try_keys(rows, depth);
    }
  }

  void try_keys(Count rows, Count depth) {
    Count keys = largest_multiple(search_.step(), search_.key_limit(),
                                  [&](Count size) { return search_.fits(search_.with(rows, size, depth)); });
    for (keys = keys_.smallest_like(keys); keys > 0; keys = keys_.next_smallest(keys)) {
      const Case candidate = search_.with(rows, keys, depth);
      if (leaders_.beat(search_.traffic(candidate))) return;
      leaders_.offer(candidate);
    }
  }

  const TileSearch& search_;
  const Case& point_;
  TileCounts rows_;
  TileCounts keys_;
  TileCounts columns_;
  Leaders leaders_;
};

class OuterProductOptimum {
 public:
  OuterProductOptimum(const TileSearch& search, const Case& point, SearchExtent extent)
      : search_(search),
        rows_(search.row_counts()),
        keys_(search.key_counts()),
        columns_(point.problem.head_dim_v, search.step()),
        widest_(std::max(search.key_limit(), search.rounded_up(point.problem.head_dim_v))),
        leaders_(search, extent) {}

  RankedTilings tilings() {
    const Count step = search_.step();
    const Count tallest =
        largest_multiple(step, search_.row_limit(), [&](Count rows) { return search_.fits(search_.with(rows, step)); });
    for (Count rows = rows_.smallest_like(tallest); rows > 0 && !leaders_.exhausted();
         rows = rows_.next_smallest(rows)) {
      if (leaders_.beat(search_.traffic(search_.with(rows, widest_)))) break;
      try_widths(rows);
    }
    return leaders_.found();
  }

 private:
  /// The smallest width that cuts keys and columns into as many tiles as `width` does.
  Count smallest_like(Count width) const { return std::max(keys_.smallest_like(width), columns_.smallest_like(width)); }

  void try_widths(Count rows) {
    Count width =
        largest_multiple(search_.step(), widest_, [&](Count size) { return search_.fits(search_.with(rows, size)); });
    for (width = smallest_like(width); width > 0;) {
      const Case candidate = search_.with(rows, width);
      if (leaders_.beat(search_.traffic(candidate))) return;
      leaders_.offer(candidate);
      width = width <= search_.step() ? 0 : smallest_like(width - search_.step());
    }
  }

  const TileSearch& search_;
  TileCounts rows_;
  TileCounts keys_;
  TileCounts columns_;
  Count widest_;
  Leaders leaders_;
};

}  // namespace

RankedTilings least_traffic_gemm_tilings(const TileSearch& search, const Case& point, SearchExtent extent) {
  const Count depth = point.tiling.block_d == 0 ? search.step() : point.tiling.block_d;
  search.require_smallest(search.with(search.step(), search.step(), depth));
  return GemmOptimum(search, point, extent).tilings();
}

RankedTilings least_traffic_outer_product_tilings(const TileSearch& search, const Case& point, SearchExtent extent) {
  search.require_smallest(search.with(search.step(), search.step()));
  return OuterProductOptimum(search, point, extent).tilings();
}

}  // namespace tilemeter
