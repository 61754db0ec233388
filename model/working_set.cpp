#include "model/working_set.hpp"

#include <algorithm>
#include <functional>
#include <queue>

#include "model/split_heuristic.hpp"
#include "model/visibility.hpp"

namespace tilemeter {
namespace {

constexpr Count most_blocks = Count{1} << 14;
constexpr Count most_groups = 8;
constexpr Count most_tiles = 32;

/// A gap between two touches of the same bytes, in steps.
struct Gap {
  double steps = 0;
  double bytes = 0;
};

Count steps_of(const KeyWalk& walk) { return std::max<Count>(1, walk.last - walk.first); }

/// The blocks that start first, in order, and when.
class Schedule {
 public:
  explicit Schedule(const WalkOrder& order) : order_(order) {
    const auto per_stream = static_cast<Count>(order.blocks.size());
    const Count all = checked::multiply(order.streams, per_stream);
    const Count blocks = std::min(all, std::max(most_blocks, 4 * order.resident));
    std::priority_queue<double, std::vector<double>, std::greater<>> ends;
    for (Count place = 0; place < blocks; ++place) {
      double start = 0;
      if (static_cast<Count>(ends.size()) == order.resident) {
        start = ends.top();
        ends.pop();
      }
      starts_.push_back(start);
      const double end = start + static_cast<double>(steps_of(walk(place)));
      length_ = std::max(length_, end);
      ends.push(end);
    }
    share_ = static_cast<double>(blocks) / static_cast<double>(all);
  }

  Count size() const { return static_cast<Count>(starts_.size()); }
  double start(Count place) const { return starts_[static_cast<std::size_t>(place)]; }
  double length() const { return length_; }
  double share() const { return share_; }  ///< of the launch's blocks
  Count group(Count place) const { return stream(place) / (order_.streams / order_.groups); }
  const KeyWalk& walk(Count place) const {
    const auto per_stream = static_cast<Count>(order_.blocks.size());
    const bool by_stream = order_.fastest == FastestIndex::blocks;
    return order_.blocks[static_cast<std::size_t>(by_stream ? place % per_stream : place / order_.streams)];
  }

 private:
  Count stream(Count place) const {
    const bool by_stream = order_.fastest == FastestIndex::blocks;
    return by_stream ? place / static_cast<Count>(order_.blocks.size()) : place % order_.streams;
  }

  const WalkOrder& order_;
  std::vector<double> starts_;
  double length_ = 0;
  double share_ = 1;
};

/// Up to `most` numbers, evenly spread over 0 ... count - 1.
std::vector<Count> sample(Count count, Count most) {
  std::vector<Count> numbers;
  const Count wanted = std::min(count, most);
  for (Count i = 0; i < wanted; ++i) numbers.push_back((2 * i + 1) * count / (2 * wanted));
  return numbers;
}

void add_gaps(std::vector<double>& times, double bytes, std::vector<Gap>& gaps) {
  std::sort(times.begin(), times.end());
  for (std::size_t i = 1; i < times.size(); ++i) gaps.push_back({times[i] - times[i - 1], bytes});
}

std::vector<Gap> gaps_of(const WalkOrder& order, const Schedule& schedule, double tile_bytes) {
  const Count groups = schedule.group(schedule.size() - 1) + 1;
  const Count seen_groups = order.fastest == FastestIndex::blocks ? groups : std::min(order.groups, schedule.size());
  std::vector<std::vector<Count>> blocks(static_cast<std::size_t>(order.groups));
  for (Count place = 0; place < schedule.size(); ++place) {
    blocks[static_cast<std::size_t>(schedule.group(place))].push_back(place);
  }
  Count tiles = 0;
  for (const KeyWalk& walk : order.blocks) tiles = std::max(tiles, walk.last);
  const std::vector<Count> some_groups = sample(seen_groups, most_groups);
  const std::vector<Count> some_tiles = sample(tiles, most_tiles);
  const double stands_for = static_cast<double>(seen_groups) / static_cast<double>(some_groups.size()) *
                            static_cast<double>(tiles) /
                            static_cast<double>(std::max<std::size_t>(1, some_tiles.size()));
  std::vector<Gap> gaps;
  std::vector<double> times;
  for (const Count group : some_groups) {
    for (const Count tile : some_tiles) {
      times.clear();
      for (const Count place : blocks[static_cast<std::size_t>(group)]) {
        const KeyWalk& walk = schedule.walk(place);
        if (walk.first <= tile && tile < walk.last) {
          times.push_back(schedule.start(place) + static_cast<double>(tile - walk.first));
        }
      }
      add_gaps(times, tile_bytes * stands_for, gaps);
    }
  }
  return gaps;
}

}  // namespace

std::vector<KeyWalk> blocks_of_stream(const Case& point, Count splits) {
  const Problem& problem = point.problem;
  const Visibility visibility(problem);
  const Count rows = problem.rows();
  const Count per_split = tiles_per_split(ceil_div(problem.seq_k, point.tiling.block_k), splits);
  std::vector<KeyWalk> blocks;
  for (Count row = 0; row < rows; row += point.tiling.block_q) {
    const Count last_row = std::min(rows, row + point.tiling.block_q) - 1;
    const Count first = visibility.keys_of(row).first / point.tiling.block_k;
    const Count last = ceil_div(visibility.keys_of(last_row).last, point.tiling.block_k);
    for (Count split = 0; split < splits; ++split) {
      const Count begin = std::max(first, split * per_split);
      blocks.push_back({begin, std::max(begin, splits == 1 ? last : std::min(last, (split + 1) * per_split))});
    }
  }
  return blocks;
}

double read_again_beyond(const WalkOrder& order, const WalkBytes& bytes, double capacity) {
  const Schedule schedule(order);
  std::vector<Gap> gaps = gaps_of(order, schedule, bytes.tile);
  std::sort(gaps.begin(), gaps.end(), [](const Gap& a, const Gap& b) { return a.steps < b.steps; });
  double longer = 0;  // bytes of touches with longer gaps, or none behind them
  for (const Gap& gap : gaps) longer += gap.bytes;
  double again = longer;
  longer += bytes.once * schedule.share() + bytes.block * static_cast<double>(schedule.size());
  double held = 0;  // T W(tau)
  double tau = 0;
  for (const Gap& gap : gaps) {
    held += longer * (gap.steps - tau);
    if (held > capacity * schedule.length()) break;
    tau = gap.steps;
    longer -= gap.bytes;
    again -= gap.bytes;
  }
  return std::max(0.0, again) / schedule.share();
}

}  // namespace tilemeter
