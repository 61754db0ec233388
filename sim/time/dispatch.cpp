#include "sim/time/dispatch.hpp"

#include <algorithm>
#include <numeric>

namespace tilemeter {
namespace {

/// By block of a stream.
std::vector<Picoseconds> lengths_of(const RecordedLaunch& launch, const std::vector<TimedProgram>& programs,
                                    const MachineRates& rates) {
  std::vector<Picoseconds> of_programs;
  for (const TimedProgram& program : programs) of_programs.push_back(length_of(program, rates));
  std::vector<Picoseconds> lengths;
  for (const BlockInstance& block : launch.blocks)
    lengths.push_back(of_programs[static_cast<std::size_t>(block.program)]);
  return lengths;
}

std::vector<std::int32_t> ordered_rows(const std::vector<Picoseconds>& lengths, RowOrder order) {
  std::vector<std::int32_t> rows(lengths.size());
  std::iota(rows.begin(), rows.end(), 0);
  if (order == RowOrder::descending) std::reverse(rows.begin(), rows.end());
  if (order != RowOrder::longest_first) return rows;
  const auto length = [&](std::int32_t row) { return lengths[static_cast<std::size_t>(row)]; };
  std::stable_sort(rows.begin(), rows.end(), [&](std::int32_t a, std::int32_t b) { return length(a) > length(b); });
  return rows;
}

bool are_even(const std::vector<Picoseconds>& lengths) {
  constexpr double share = 0.8;
  double sum = 0;
  for (const Picoseconds length : lengths) sum += static_cast<double>(length);
  const Picoseconds longest = *std::max_element(lengths.begin(), lengths.end());
  return sum >= share * static_cast<double>(longest) * static_cast<double>(lengths.size());
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
    : launch_(launch), fastest_(execution.fastest), size_(named("the number of blocks", [&] {
        return checked::multiply(launch.streams, static_cast<Count>(launch.blocks.size()));
      })) {
  if (launch.blocks.empty()) return;
  const std::vector<Picoseconds> lengths = lengths_of(launch, programs, rates);
  rows_ = ordered_rows(lengths, execution.rows);
  even_ = are_even(lengths);
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

WaveFolding folding_of(const BlockOrder& order, Count resident, Count aim) {
  WaveFolding folding;
  const Count period = order.period();
  if (period == 0 || order.size() <= aim) return folding;
  const Count unit = period == 1 ? resident : period;
  const auto whole = [&](Count blocks) { return std::max(Count{1}, blocks / unit) * unit; };
  folding.window_begin = std::max(resident, period == 1 ? whole(aim / 2) : aim / 2);
  folding.window = std::max(ceil_div(resident, unit) * unit, whole(aim / 4));
  folding.jump = folding.window_begin + folding.window + resident;
  const Count most = order.size() - folding.jump;
  if (most < unit) return folding;
  folding.skipped = order.even() ? whole_waves(most, unit, resident) : most / unit * unit;
  return folding;
}

}  // namespace tilemeter
