#include "model/tiling_optimum.hpp"

#include <algorithm>

#include "model/gemm_tiling_optimum.hpp"
#include "model/streaming_sizes.hpp"
#include "model/traffic_bound.hpp"

namespace tilemeter {
namespace {

class StreamingOptimum {
 public:
  StreamingOptimum(const TileSearch& search, LoopOrder order, const Case& point, SearchExtent extent)
      : search_(search),
        sizes_(search, order),
        kv_outer_(order == LoopOrder::kv_outer),
        masked_(point.problem.mask.kind != MaskKind::none),
        bound_(search, point),
        leaders_(search, extent) {}

  RankedTilings tilings() {
    if (sizes_.companion_is_free()) {
      try_sizes_alone();
    } else {
      try_all_pairs();
    }
    return leaders_.found();
  }

 private:
  Count step() const { return search_.step(); }
  Wide bound(Count size, Count companion) const {
    return kv_outer_ ? bound_.of_tiles_up_to(companion, size) : bound_.of_tiles_up_to(size, companion);
  }

  void try_sizes_alone() {
    const TileCounts counts = sizes_.size_counts();
    const auto next = [&](Count size) { return masked_ ? size - step() : counts.largest_below(size); };
    for (Count size = sizes_.largest_size(); size > 0; size = next(size)) {
      if (leaders_.beat(bound(size, sizes_.companion_limit())) || leaders_.exhausted()) break;
      leaders_.offer(sizes_.with(size, step()));
    }
    leaders_.replace([&](const RankedTiling& leader) { return with_largest_equal_companion(leader); });
  }

  void try_all_pairs() {
    for (Count size = sizes_.largest_size(); size > 0; size -= step()) {
      if (leaders_.beat(bound(size, sizes_.companion_limit())) || leaders_.exhausted()) break;
      const Count largest = sizes_.largest_companion(size);
      if (!leaders_.beat(bound(size, largest))) try_companions(size, largest);
    }
  }

  void try_companions(Count size, Count largest) {
    const TileCounts counts = sizes_.companion_counts();
    for (Count companion = largest; companion > 0; companion = next_companion(counts, companion)) {
      if (leaders_.beat(bound(size, companion)) || leaders_.exhausted()) return;
      leaders_.offer(sizes_.with(size, companion));
    }
  }

  /// The next smaller size, or the next smaller end of a range of equal numbers of tiles.
  Count next_companion(const TileCounts& counts, Count companion) const {
    if (masked_) return companion - step();
    const Count smallest = counts.smallest_like(companion);
    return companion > smallest ? smallest : counts.largest_below(companion);
  }

  Tiling with_largest_equal_companion(const RankedTiling& leader) const {
    constexpr Count most_tried = Count{1} << 20;
    const Count size = sizes_.size_of(leader.tiling);
    Count companion = sizes_.largest_companion(size);
    if (!masked_) return sizes_.with(size, companion).tiling;
    companion = std::min(companion, checked::multiply(most_tried, step()));
    while (companion > step() && search_.traffic(sizes_.with(size, companion)) > leader.traffic) companion -= step();
    return sizes_.with(size, companion).tiling;
  }

  const TileSearch& search_;
  StreamingSizes sizes_;
  bool kv_outer_;
  bool masked_;
  TrafficBound bound_;
  Leaders leaders_;
};

}  // namespace

RankedTilings least_traffic_tilings(const TileSearch& search, LoopOrder order, const Case& point, SearchExtent extent) {
  if (order == LoopOrder::gemm) return least_traffic_gemm_tilings(search, point, extent);
  if (order == LoopOrder::outer_product) return least_traffic_outer_product_tilings(search, point, extent);
  search.require_smallest(search.with(search.step(), search.step()));
  return StreamingOptimum(search, order, point, extent).tilings();
}

}  // namespace tilemeter
