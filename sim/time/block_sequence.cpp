#include "sim/time/block_sequence.hpp"

#include <algorithm>
#include <numeric>

namespace tilemeter {

BlockSequence::BlockSequence(const RecordedLaunch& launch, RowOrder order, FastestIndex fastest,
                             const std::vector<Count>& lengths)
    : streams_(launch.streams), fastest_(fastest), blocks_(launch.blocks.size()) {
  std::iota(blocks_.begin(), blocks_.end(), 0);
  if (order == RowOrder::descending) std::reverse(blocks_.begin(), blocks_.end());
  if (order != RowOrder::longest_first) return;
  const auto length = [&](int block) {
    return lengths[static_cast<std::size_t>(launch.blocks[static_cast<std::size_t>(block)].program)];
  };
  std::stable_sort(blocks_.begin(), blocks_.end(), [&](int a, int b) { return length(a) > length(b); });
}

BlockSequence::Place BlockSequence::operator[](Count number) const {
  const auto blocks = static_cast<Count>(blocks_.size());
  const bool by_stream = fastest_ == FastestIndex::blocks;
  const Count block = by_stream ? number % blocks : number / streams_;
  return {.stream = by_stream ? number / blocks : number % streams_, .block = blocks_[static_cast<std::size_t>(block)]};
}

}  // namespace tilemeter
