#include "model/block_schedule.hpp"

#include <algorithm>
#include <queue>
#include <utility>

namespace tilemeter {
namespace {

/// An SM at work: what is left of each resident block at time `now`.
class SharingSm {
 public:
  explicit SharingSm(const SharedSpeed& speed) : speed_(speed) {}

  std::size_t residents() const { return left_.size(); }
  double work() const { return work_; }
  void spread_in(double work) { work_ += work; }

  void admit(double work) {
    left_.push_back(work);
    work_ += work;
  }
  /// When the next resident block ends; `residents` is at least 1.
  double next_end() const { return now_ + *std::min_element(left_.begin(), left_.end()) * step(); }
  /// Works until then and drops the block.
  void finish_next() {
    const auto least = std::min_element(left_.begin(), left_.end());
    const double done = *least;
    now_ += done * step();
    left_.erase(least);
    for (double& left : left_) left -= done;
  }
  void wait_until(double time) { now_ = std::max(now_, time); }
  double now() const { return now_; }

 private:
  double step() const { return speed_.at(static_cast<Count>(left_.size())); }

  SharedSpeed speed_;
  double now_ = 0;
  double work_ = 0;
  std::vector<double> left_;
};

/// Walks the blocks of an order one by one.
class Blocks {
 public:
  explicit Blocks(const std::vector<BlockRun>& order) : order_(order) { skip_empty(); }
  bool any() const { return run_ < order_.size(); }
  double next() {
    const double work = order_[run_].work;
    ++taken_;
    skip_empty();
    return work;
  }
  /// The work of the next `count` blocks.
  double skip(Count count) {
    double work = 0;
    while (count > 0 && any()) {
      const Count step = std::min(count, order_[run_].blocks - taken_);
      work += static_cast<double>(step) * order_[run_].work;
      taken_ += step;
      count -= step;
      skip_empty();
    }
    return work;
  }

 private:
  void skip_empty() {
    while (any() && taken_ == order_[run_].blocks) {
      ++run_;
      taken_ = 0;
    }
  }

  const std::vector<BlockRun>& order_;
  std::size_t run_ = 0;
  Count taken_ = 0;
};

Count count_of(const std::vector<BlockRun>& order) {
  return named("the number of blocks", [&] {
    Count sum = 0;
    for (const BlockRun& run : order) sum = checked::add(sum, run.blocks);
    return sum;
  });
}

BlockSchedule summary_of(const std::vector<SharingSm>& sms) {
  BlockSchedule schedule;
  double total = 0;
  for (const SharingSm& sm : sms) {
    schedule.end = std::max(schedule.end, sm.now());
    schedule.longest = std::max(schedule.longest, sm.work());
    total += sm.work();
  }
  schedule.mean = total / static_cast<double>(sms.size());
  return schedule;
}

/// How many of the first blocks need not be placed one by one: the full waves of equal blocks, which end together, and
/// what is beyond the most that are placed.
Count spread_count(const std::vector<BlockRun>& order, const SmArray& array) {
  const Count count = count_of(order);
  const Count slots = array.sms * array.resident;
  if (order.size() == 1) return count / slots * slots;
  return std::max<Count>(0, count - most_scheduled_blocks);
}

/// Spreads the first `count` blocks evenly over the SMs.
void spread_first(Blocks& blocks, Count count, const SmArray& array, std::vector<SharingSm>& sms) {
  if (count == 0) return;
  const double each = blocks.skip(count) / static_cast<double>(array.sms);
  const double time = each / static_cast<double>(array.resident) * array.speed.at(array.resident);
  for (SharingSm& sm : sms) {
    sm.spread_in(each);
    sm.wait_until(time);
  }
}

/// Each block goes where one ends first.
void place_by_end(Blocks& blocks, const SmArray& array, std::vector<SharingSm>& sms) {
  using End = std::pair<double, std::size_t>;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends;
  for (Count slot = 0; slot < array.resident; ++slot) {
    for (SharingSm& sm : sms) {
      if (blocks.any()) sm.admit(blocks.next());
    }
  }
  for (std::size_t i = 0; i < sms.size(); ++i) {
    if (sms[i].residents() > 0) ends.emplace(sms[i].next_end(), i);
  }
  while (!ends.empty()) {
    SharingSm& sm = sms[ends.top().second];
    const std::size_t index = ends.top().second;
    ends.pop();
    sm.finish_next();
    if (blocks.any()) sm.admit(blocks.next());
    if (sm.residents() > 0) ends.emplace(sm.next_end(), index);
  }
}

/// Each slot works for the blocks that it was dealt.
void deal(Blocks& blocks, const SmArray& array, std::vector<SharingSm>& sms) {
  const auto slots = static_cast<std::size_t>(array.sms * array.resident);
  std::vector<double> dealt(slots, 0);
  for (Count place = 0; blocks.any(); ++place) {
    const auto slot = static_cast<std::size_t>(slot_dealt(array.scheduling, place, static_cast<Count>(slots)));
    dealt[slot] += blocks.next();
  }
  for (std::size_t slot = 0; slot < slots; ++slot) {
    if (dealt[slot] > 0) sms[slot % sms.size()].admit(dealt[slot]);
  }
  for (SharingSm& sm : sms) {
    while (sm.residents() > 0) sm.finish_next();
  }
}

}  // namespace

Count LaunchBlocks::blocks() const {
  return named("the number of blocks", [&] { return checked::multiply(streams, count_of(stream)); });
}

double LaunchBlocks::work() const {
  double sum = 0;
  for (const BlockRun& run : stream) sum += static_cast<double>(run.blocks) * run.work;
  return sum * static_cast<double>(streams);
}

double LaunchBlocks::longest() const {
  double longest = 0;
  for (const BlockRun& run : stream) longest = std::max(longest, run.work);
  return longest;
}

std::vector<BlockRun> launch_order(const LaunchBlocks& blocks, RowOrder rows, FastestIndex fastest) {
  std::vector<BlockRun> stream = blocks.stream;
  if (rows == RowOrder::descending) std::reverse(stream.begin(), stream.end());
  if (rows == RowOrder::longest_first) {
    std::stable_sort(stream.begin(), stream.end(),
                     [](const BlockRun& a, const BlockRun& b) { return a.work > b.work; });
  }
  if (fastest == FastestIndex::streams || stream.size() == 1) {
    for (BlockRun& run : stream) {
      run.blocks = named("the number of blocks", [&] { return checked::multiply(run.blocks, blocks.streams); });
    }
    return stream;
  }
  // Of more streams than are placed one by one, what comes first matters by its amount only.
  const Count each = std::max<Count>(1, static_cast<Count>(stream.size()));
  const Count kept = std::min(blocks.streams, most_scheduled_blocks / each + 2);
  std::vector<BlockRun> order;
  if (kept < blocks.streams) {
    for (const BlockRun& run : stream) {
      order.push_back({.blocks = checked::multiply(run.blocks, blocks.streams - kept), .work = run.work});
    }
  }
  for (Count i = 0; i < kept; ++i) order.insert(order.end(), stream.begin(), stream.end());
  return order;
}

BlockSchedule schedule_blocks(const std::vector<BlockRun>& order, const SmArray& array) {
  std::vector<SharingSm> sms(static_cast<std::size_t>(array.sms), SharingSm(array.speed));
  Blocks blocks(order);
  spread_first(blocks, spread_count(order, array), array, sms);
  if (is_dealt(array.scheduling)) {
    deal(blocks, array, sms);
  } else {
    place_by_end(blocks, array, sms);
  }
  return summary_of(sms);
}

}  // namespace tilemeter
