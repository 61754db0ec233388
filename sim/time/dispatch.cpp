#include "sim/time/dispatch.hpp"

#include <algorithm>
#include <numeric>

namespace tilemeter {
namespace {

std::vector<std::int32_t> ordered_rows(const RecordedLaunch& launch, const std::vector<TimedProgram>& programs,
                                       RowOrder order, const MachineRates& rates) {
  std::vector<std::int32_t> rows(launch.blocks.size());
  std::iota(rows.begin(), rows.end(), 0);
  if (order == RowOrder::descending) std::reverse(rows.begin(), rows.end());
  if (order != RowOrder::longest_first) return rows;
  std::vector<Picoseconds> lengths;
  for (const TimedProgram& program : programs) lengths.push_back(length_of(program, rates));
  const auto length = [&](std::int32_t row) {
    return lengths[static_cast<std::size_t>(launch.blocks[static_cast<std::size_t>(row)].program)];
  };
  std::stable_sort(rows.begin(), rows.end(), [&](std::int32_t a, std::int32_t b) { return length(a) > length(b); });
  return rows;
}

bool all_alike(const std::vector<BlockInstance>& blocks) {
  return std::all_of(blocks.begin(), blocks.end(),
                     [&](const BlockInstance& block) { return block.program == blocks.front().program; });
}

/// The largest number of blocks up to `most`, in whole periods, after which blocks meet the waves as before, or nearly.
Count whole_waves(Count most, Count period, Count resident) {
  constexpr Count tries = 64;
  Count best = 0;
  Count best_phase = resident;
  for (Count i = 0; i < tries && most / period - i > 0; ++i) {
    const Count blocks = (most / period - i) * period;
    const Count phase = std::min(blocks % resident, resident - blocks % resident);
    if (phase >= best_phase) continue;
    best = blocks;
    best_phase = phase;
  }
  return best;
}

}  // namespace

BlockOrder::BlockOrder(const RecordedLaunch& launch, const std::vector<TimedProgram>& programs,
                       const Execution& execution, const MachineRates& rates)
    : launch_(launch),
      fastest_(execution.fastest),
      rows_(ordered_rows(launch, programs, execution.rows, rates)),
      size_(named("the number of blocks",
                  [&] { return checked::multiply(launch.streams, static_cast<Count>(launch.blocks.size())); })) {
  if (launch.blocks.empty()) return;
  if (all_alike(launch.blocks)) {
    period_ = 1;
  } else if (fastest_ == FastestIndex::blocks) {
    period_ = static_cast<Count>(launch.blocks.size());
  }
}

Count BlockOrder::stream_length() const {
  return fastest_ == FastestIndex::blocks ? static_cast<Count>(rows_.size()) : 0;
}

DealtBlock BlockOrder::at(Count number) const {
  const auto rows = static_cast<Count>(rows_.size());
  const bool by_stream = fastest_ == FastestIndex::blocks;
  const Count stream = by_stream ? number / rows : number % launch_.streams;
  const Count row = by_stream ? number % rows : number / launch_.streams;
  const auto index = static_cast<std::size_t>(rows_[static_cast<std::size_t>(row)]);
  return {.number = number, .stream = stream, .block = &launch_.blocks[index]};
}

WaveFolding folding_of(const BlockOrder& order, Count resident, Waves waves) {
  WaveFolding folding;
  const Count period = order.period();
  if (waves == Waves::all || period == 0) return folding;
  folding.window_begin = resident;
  const Count unit = period == 1 ? resident : period;
  folding.window = ceil_div(resident, unit) * unit;
  folding.jump = 2 * resident + folding.window;
  const Count tail = period == 1 ? 0 : resident;
  const Count most = order.size() - folding.jump - tail;
  if (most < unit) return folding;
  folding.skipped = whole_waves(most, unit, resident);
  return folding;
}

}  // namespace tilemeter
