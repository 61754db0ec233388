#include "model/traffic_bound.hpp"

#include <algorithm>
#include <vector>

#include "model/closed_form/catalog.hpp"

namespace tilemeter {
namespace {

/// 2 to 8, powers of two, and `last`, at most 2^24: the numbers of tiles at which a bill is read.
std::vector<Count> tile_counts(Count last) {
  constexpr Count every = 8;
  constexpr Count most = Count{1} << 24;
  last = std::min(last, most);
  std::vector<Count> counts;
  for (Count count = 2; count < last; count += count < every ? 1 : count) counts.push_back(count);
  if (last > 1) counts.push_back(last);
  return counts;
}

/// One head without a mask, cut into tiles of one row or of all; without splits where a heuristic chooses them from the
/// whole problem, since splits only add traffic.
Case unmasked_head(const Case& point) {
  Case head = point;
  head.problem.batch = head.problem.heads = head.problem.kv_heads = 1;
  head.problem.packing = Packing::unpacked;
  head.problem.mask = {};
  if (!head.options.splits) head.options.splits = 1;
  return head;
}

/// What a row (a key) costs at its first tile and at each further one.
struct Meeting {
  Wide first;
  Wide further;
};

/// `cost_at(tiles)` is what one row costs that meets that many tiles.
template <class CostAt>
Meeting meeting_of(Count most_tiles, CostAt cost_at) {
  Meeting meeting{.first = cost_at(1), .further = 0};
  bool known = false;
  for (const Count tiles : tile_counts(most_tiles)) {
    const Wide growth = floor_div(cost_at(tiles) - meeting.first, tiles - 1);
    if (!known || growth < meeting.further) meeting.further = growth;
    known = true;
  }
  meeting.further = positive_part(meeting.further);
  return meeting;
}

Meeting meeting_of_rows(const TileSearch& search, Case head) {
  const Count most = head.problem.seq_k;
  head.tiling.block_q = 2;
  head.tiling.block_k = 1;
  return meeting_of(most, [&](Count tiles) {
    const auto traffic = [&](Count rows) {
      head.problem.seq_q = rows;
      head.problem.seq_k = tiles;
      return Wide(search.traffic(head));
    };
    return traffic(2) - traffic(1);
  });
}

Meeting meeting_of_keys(const TileSearch& search, Case head, Count rows) {
  head.tiling.block_q = 1;
  head.tiling.block_k = 2;
  return meeting_of(rows, [&](Count tiles) {
    const auto traffic = [&](Count keys) {
      head.problem.seq_q = tiles;
      head.problem.seq_k = keys;
      return Wide(search.traffic(head));
    };
    return traffic(2) - traffic(1);
  });
}

}  // namespace

TrafficBound::TrafficBound(const TileSearch& search, const Case& point) : pairs_(visible_pairs(point.problem)) {
  const Problem& problem = point.problem;
  const Case head = unmasked_head(point);
  const Meeting row = meeting_of_rows(search, head);
  const Meeting key = meeting_of_keys(search, head, problem.rows());
  per_row_ = row.further;
  per_key_ = key.further;
  const Wide streams = problem.streams();
  first_visits_ = streams * (positive_part(row.further - row.first) * problem.rows() +
                             positive_part(key.further - key.first) * problem.seq_k);
}

Wide TrafficBound::of_tiles_up_to(Count block_q, Count block_k) const {
  return floor_div(pairs_ * per_row_, block_k) + floor_div(pairs_ * per_key_, block_q) - first_visits_;
}

}  // namespace tilemeter
