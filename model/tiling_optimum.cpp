#include "model/tiling_optimum.hpp"

#include <array>

#include "model/gemm_tiling_optimum.hpp"
#include "model/tile_counts.hpp"
#include "model/traffic_bound.hpp"

namespace tilemeter {
namespace {

/// The order of a streaming loop's sizes: the one that divides the traffic, and its companion.
class StreamingOptimum {
 public:
  StreamingOptimum(const TileSearch& search, LoopOrder order, const Case& point, std::size_t keep)
      : search_(search),
        kv_outer_(order == LoopOrder::kv_outer),
        masked_(point.problem.mask.kind != MaskKind::none),
        bound_(search, point),
        leaders_(search, keep) {}

  RankedTilings tilings() {
    if (companion_is_free()) {
      try_sizes_alone();
    } else {
      try_all_pairs();
    }
    return leaders_.found();
  }

 private:
  Count step() const { return search_.step(); }
  Count size_limit() const { return kv_outer_ ? search_.key_limit() : search_.row_limit(); }
  Count companion_limit() const { return kv_outer_ ? search_.row_limit() : search_.key_limit(); }
  TileCounts size_counts() const { return kv_outer_ ? search_.key_counts() : search_.row_counts(); }
  TileCounts companion_counts() const { return kv_outer_ ? search_.row_counts() : search_.key_counts(); }
  Case sized(Count size, Count companion) const {
    return kv_outer_ ? search_.with(companion, size) : search_.with(size, companion);
  }
  Wide bound(Count size, Count companion) const {
    return kv_outer_ ? bound_.of_tiles_up_to(companion, size) : bound_.of_tiles_up_to(size, companion);
  }

  Count largest_size() const {
    return largest_multiple(step(), size_limit(), [&](Count size) { return search_.fits(sized(size, step())); });
  }
  Count largest_companion(Count size) const {
    return largest_multiple(step(), companion_limit(),
                            [&](Count companion) { return search_.fits(sized(size, companion)); });
  }

  /// Traffic of one head of at most 4096 rows and keys without a mask.
  Count traffic_of_sample(Count size, Count companion) const {
    constexpr Count longest = 4096;
    Case point = sized(size, companion);
    Problem& problem = point.problem;
    problem.mask = {};
    problem.batch = 1;
    problem.heads = problem.group();
    problem.kv_heads = 1;
    problem.seq_q = std::min(problem.seq_q, longest);
    problem.seq_k = std::min(problem.seq_k, longest);
    return search_.traffic(point);
  }

  /// Whether the companion changes nothing without a mask: at the smallest sizes and the largest, where a bill that
  /// depends on it shows.
  bool companion_is_free() const {
    for (const Count size : std::array{step(), 2 * step(), size_limit()}) {
      const Count alone = traffic_of_sample(size, step());
      for (Count companion = companion_limit(); companion > step(); companion = search_.rounded_down(companion / 2)) {
        if (traffic_of_sample(size, companion) != alone) return false;
      }
    }
    return true;
  }

  void try_sizes_alone() {
    const TileCounts counts = size_counts();
    for (Count size = largest_size(); size > 0; size = masked_ ? size - step() : counts.largest_below(size)) {
      if (leaders_.exhausted() || leaders_.beat(bound(size, companion_limit()))) break;
      leaders_.offer(sized(size, step()));
    }
    leaders_.replace([&](const RankedTiling& leader) { return with_largest_equal_companion(leader); });
  }

  void try_all_pairs() {
    for (Count size = largest_size(); size > 0 && !leaders_.exhausted(); size -= step()) {
      if (leaders_.beat(bound(size, companion_limit()))) break;
      const Count largest = largest_companion(size);
      if (!leaders_.beat(bound(size, largest))) try_companions(size, largest);
    }
  }

  void try_companions(Count size, Count largest) {
    const TileCounts counts = companion_counts();
    for (Count companion = largest; companion > 0; companion = next_companion(counts, companion)) {
      if (leaders_.exhausted() || leaders_.beat(bound(size, companion))) return;
      leaders_.offer(sized(size, companion));
    }
  }

  /// The next smaller size, or the next smaller end of a range of equal numbers of tiles.
  Count next_companion(const TileCounts& counts, Count companion) const {
    if (masked_) return companion - step();
    const Count smallest = counts.smallest_like(companion);
    return companion > smallest ? smallest : counts.largest_below(companion);
  }

  Tiling with_largest_equal_companion(const RankedTiling& leader) const {
    const Count size = kv_outer_ ? leader.tiling.block_k : leader.tiling.block_q;
    constexpr Count most_tried = Count{1} << 20;
    Count companion = std::min(largest_companion(size), checked::multiply(most_tried, step()));
    if (!masked_) return sized(size, companion).tiling;
    while (companion > step() && search_.traffic(sized(size, companion)) > leader.traffic) companion -= step();
    return sized(size, companion).tiling;
  }

  const TileSearch& search_;
  bool kv_outer_;
  bool masked_;
  TrafficBound bound_;
  Leaders leaders_;
};

}  // namespace

RankedTilings least_traffic_tilings(const TileSearch& search, LoopOrder order, const Case& point, std::size_t keep) {
  if (order == LoopOrder::gemm) return least_traffic_gemm_tilings(search, point, keep);
  search.require_smallest(search.with(search.step(), search.step()));
  return StreamingOptimum(search, order, point, keep).tilings();
}

}  // namespace tilemeter
