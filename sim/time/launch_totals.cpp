// What the blocks of a launch add to the sums, those that were not simulated included.
#include <algorithm>
#include <cmath>

#include "sim/time/launch_run.hpp"

namespace tilemeter {
namespace {

/// amount x times / each, to the nearest integer.
Count scaled(Count amount, Count times, Count each) {
  if (times % each == 0) return checked::multiply(amount, times / each);
  return static_cast<Count>(std::llround(static_cast<long double>(amount) * static_cast<long double>(times) /
                                         static_cast<long double>(each)));
}

/// How many of the blocks first .. first + blocks - 1 begin a stream.
Count streams_begun(Count first, Count blocks, Count length) {
  return ceil_div(first + blocks, length) - ceil_div(first, length);
}

}  // namespace

void LaunchRun::add_block(SmTime& sm, const TimedProgram& program, Count times) {
  sm.blocks = checked::add(sm.blocks, times);
  const Traffic traffic = program.traffic * times;
  named("the traffic of an SM", [&] { sm.traffic += traffic; });
  named("the traffic at the edge of the SMs", [&] { machine_.sums.levels.edge += traffic; });
  for (std::size_t unit = 0; unit < inner_unit_count; ++unit)
    sm.busy[unit] = checked::add(sm.busy[unit], checked::multiply(program.busy[unit], times));
}

Count LaunchRun::events_of_a_block() const {
  Count events = 0;
  for (const BlockInstance& block : launch_.blocks)
    events = checked::add(events, programs_[static_cast<std::size_t>(block.program)].events);
  return std::max(Count{1}, events / std::max(Count{1}, static_cast<Count>(launch_.blocks.size())));
}

Count LaunchRun::aim() const {
  constexpr Count where_blocks_differ = 8;
  const Count events = machine_.options.aim * (order_.period() == 1 ? 1 : where_blocks_differ);
  return events / events_of_a_block();
}

void LaunchRun::require_affordable() const {
  const double events = static_cast<double>(events_of_a_block()) * static_cast<double>(simulated_);
  if (events <= static_cast<double>(machine_.options.most)) return;
  throw TooManyEvents(launch_.kernel + ": the simulation has some " + std::to_string(static_cast<Count>(events / 1e6)) +
                      " million events, expected at most " + std::to_string(machine_.options.most / 1'000'000) +
                      " million; count, sweep and predict give the time in closed form");
}

void LaunchRun::add_folded() {
  const Count sms = machine_.rates.sms;
  const Count skipped = folding_.skipped;
  // Folded blocks are dealt evenly; the odd ones of a program go on where those of the one before ended.
  std::vector<Count> blocks(programs_.size());
  for (const BlockInstance& block : launch_.blocks) ++blocks[static_cast<std::size_t>(block.program)];
  const Bytes read_before = machine_.sums.levels.edge.read_bytes;
  Count odd = 0;
  for (std::size_t program = 0; program < programs_.size(); ++program) {
    const Count all =
        order_.period() == 1 ? (blocks[program] > 0 ? skipped : 0) : blocks[program] * (skipped / order_.period());
    for (Count sm = 0; sm < sms; ++sm) {
      const Count more = (sm - odd % sms + sms) % sms < all % sms ? 1 : 0;
      if (all / sms + more > 0)
        add_block(machine_.sums.sms[static_cast<std::size_t>(sm)], programs_[program], all / sms + more);
    }
    odd += all % sms;
  }
  add_folded_time();
  add_folded_dram(machine_.sums.levels.edge.read_bytes - read_before);
}

void LaunchRun::add_folded_time() {
  const Count skipped = folding_.skipped;
  const Count window = folding_.window;
  Picoseconds together = 0;
  for (std::size_t sm = 0; sm < window_.times.size(); ++sm) {
    SmTime& sums = machine_.sums.sms[sm];
    together = checked::add(together, window_.times[sm].total());
    const Picoseconds working = scaled(window_.times[sm].working, skipped, window);
    sums.working += working;
    sums.resident += working;
    for (std::size_t i = 0; i < wait_count; ++i) {
      const Picoseconds wait = scaled(window_.times[sm].waits[i], skipped, window);
      sums.waits[i] += wait;
      sums.resident += wait;
    }
    sums.busy[static_cast<std::size_t>(SmUnit::load)] += scaled(window_.ports[sm][0], skipped, window);
    sums.busy[static_cast<std::size_t>(SmUnit::store)] += scaled(window_.ports[sm][1], skipped, window);
  }
  // All resident blocks run all the time, so that what they take together is what passes times their number.
  const Picoseconds passed = scaled(together, skipped, checked::multiply(window, resident_));
  end_ = checked::add(end_, passed);
}

void LaunchRun::add_folded_dram(Bytes edge_read) {
  Count times = folding_.skipped;
  Count each = folding_.window;
  // What streams touch first goes with the streams that begin.
  if (const Count length = order_.stream_length(); length > 0) {
    const Count in_window = streams_begun(folding_.window_begin, folding_.window, length);
    const Count in_skipped = streams_begun(folding_.jump, folding_.skipped, length);
    if (in_window > 0 && in_skipped > 0) {
      times = in_skipped;
      each = in_window;
    }
  }
  const Bytes read(std::min(edge_read.value(), scaled(window_.dram.read.value(), times, each)));
  LevelTraffic& levels = machine_.sums.levels;
  levels.dram_read += read;
  levels.l2_hits += edge_read - read;
  levels.dram_write += Bytes(scaled(window_.dram.write.value(), folding_.skipped, folding_.window));
}

}  // namespace tilemeter
