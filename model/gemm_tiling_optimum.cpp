#include "model/gemm_tiling_optimum.hpp"

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
      for (Count depth = columns_.smallest_like(whole); depth > 0; depth = after(columns_, depth)) try_depth(depth);
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
  /// The smallest size of the next number of tiles; zero after one step.
  static Count after(const TileCounts& counts, Count size) {
    const Count below = counts.largest_below(size);
    return below == 0 ? 0 : counts.smallest_like(below);
  }

  void try_depth(Count depth) {
    const Count step = search_.step();
    if (!search_.fits(search_.with(step, step, depth))) return;
    const Count largest = largest_multiple(step, search_.row_limit(),
                                           [&](Count rows) { return search_.fits(search_.with(rows, step, depth)); });
    for (Count rows = rows_.smallest_like(largest); rows > 0 && !leaders_.exhausted(); rows = after(rows_, rows)) {
      if (leaders_.beat(search_.traffic(search_.with(rows, search_.key_limit(), depth)))) break;
      try_keys(rows, depth);
    }
  }

  void try_keys(Count rows, Count depth) {
    Count keys = largest_multiple(search_.step(), search_.key_limit(),
                                  [&](Count size) { return search_.fits(search_.with(rows, size, depth)); });
    for (keys = keys_.smallest_like(keys); keys > 0; keys = after(keys_, keys)) {
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

}  // namespace

RankedTilings least_traffic_gemm_tilings(const TileSearch& search, const Case& point, SearchExtent extent) {
  const Count depth = point.tiling.block_d == 0 ? search.step() : point.tiling.block_d;
  search.require_smallest(search.with(search.step(), search.step(), depth));
  return GemmOptimum(search, point, extent).tilings();
}

}  // namespace tilemeter
