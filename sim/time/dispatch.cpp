#include "sim/time/dispatch.hpp"

#include <algorithm>

namespace tilemeter {
namespace {

/// By program.
std::vector<Picoseconds> lengths_of(const std::vector<TimedProgram>& programs, const MachineRates& rates) {
  std::vector<Picoseconds> lengths;
  for (const TimedProgram& program : programs) lengths.push_back(length_of(program, rates));
  return lengths;
}

bool are_even(const std::vector<BlockInstance>& blocks, const std::vector<Picoseconds>& lengths) {
  constexpr double share = 0.8;
  double sum = 0;
  Picoseconds longest = 0;
  for (const BlockInstance& block : blocks) {
    const Picoseconds length = lengths[static_cast<std::size_t>(block.program)];
    sum += static_cast<double>(length);
    longest = std::max(longest, length);
  }
  return sum >= share * static_cast<double>(longest) * static_cast<double>(blocks.size());
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
    : BlockOrder(launch, lengths_of(programs, rates), execution) {}

BlockOrder::BlockOrder(const RecordedLaunch& launch, const std::vector<Picoseconds>& lengths,
                       const Execution& execution)
    : launch_(launch),
      fastest_(execution.fastest),
      size_(named("the number of blocks",
                  [&] { return checked::multiply(launch.streams, static_cast<Count>(launch.blocks.size())); })),
      sequence_(launch, execution.rows, execution.fastest, lengths),
      even_(are_even(launch.blocks, lengths)) {
  if (launch.blocks.empty()) return;
  if (all_alike(launch.blocks)) {
    period_ = 1;
  } else if (fastest_ == FastestIndex::blocks) {
    period_ = static_cast<Count>(launch.blocks.size());
  }
}

Count BlockOrder::stream_length() const {
  return fastest_ == FastestIndex::blocks ? static_cast<Count>(launch_.blocks.size()) : 0;
}

DealtBlock BlockOrder::at(Count number) const {
  const BlockSequence::Place place = sequence_[number];
  return {.number = number, .stream = place.stream, .block = &launch_.blocks[static_cast<std::size_t>(place.block)]};
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
