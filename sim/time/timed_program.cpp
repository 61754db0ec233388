#include "sim/time/timed_program.hpp"

#include <algorithm>
#include <limits>

namespace tilemeter {
namespace {

OpQueue queue_of(const Op& op, const UnitClocks& clocks) {
  if (op.unit == Unit::memory) return op.traffic.write_bytes.value() > 0 ? OpQueue::store : OpQueue::load;
  return clocks[0] > 0 ? OpQueue::tensor : OpQueue::vector;
}

Space space_of(const Program& program, TileId tile) {
  const auto index = static_cast<std::size_t>(tile);
  if (tile == no_tile || index >= program.tiles.size()) return Space::registers;
  return program.tiles[index].space;
}

template <class Tiles>
std::uint8_t copy_tiles(const Tiles& from, std::array<std::int16_t, 4>& to) {
  std::uint8_t count = 0;
  for (const TileId tile : from) {
    if (tile != no_tile) to[count++] = static_cast<std::int16_t>(tile);
  }
  return count;
}

TimedOp timed_op(const Op& op, const Program& program, const Execution& execution, const MachineRates& rates) {
  const UnitClocks clocks = clocks_of(op, execution, rates, space_of(program, op.writes[0]));
  TimedOp out;
  out.queue = queue_of(op, clocks);
  out.phase = op.phase;
  out.reads = copy_tiles(op.reads, out.read);
  out.writes = copy_tiles(op.writes, out.write);
  const UnitClocks lost = lost_clocks(clocks, rates);
  for (std::size_t unit = 0; unit < inner_unit_count; ++unit) {
    out.units[unit] = to_picoseconds(clocks[unit], rates);
    out.stalls[unit] = to_picoseconds(lost[unit], rates);
  }
  out.edge = op.unit == Unit::memory ? op.traffic.total_bytes().value() : 0;
  out.op = &op;
  return out;
}

void number_stages(TimedProgram& out, const Program& program) {
  std::size_t tiles = program.stages.size();
  for (const TimedOp& op : out.ops) {
    for (std::size_t i = 0; i < op.reads; ++i) tiles = std::max(tiles, static_cast<std::size_t>(op.read[i]) + 1);
    for (std::size_t i = 0; i < op.writes; ++i) tiles = std::max(tiles, static_cast<std::size_t>(op.write[i]) + 1);
  }
  Count all = 0;
  for (std::size_t tile = 0; tile < tiles; ++tile) {
    const Count stages = tile < program.stages.size() ? std::max(Count{1}, program.stages[tile]) : 1;
    out.first.push_back(static_cast<std::int32_t>(all));
    out.stages.push_back(static_cast<std::int32_t>(stages));
    all = checked::add(all, stages);
    if (all > std::numeric_limits<std::int16_t>::max())
      throw InputError("a block holds more than 32767 tiles and stages; use fewer --stages");
  }
  out.all_stages = static_cast<std::int32_t>(all);
}

/// Ops of the largest loop without loops in it.
Count innermost_ops(const Program& program) {
  Count most = 0;
  for (std::size_t step = 0; step < program.steps.size(); ++step) {
    const auto length = static_cast<std::size_t>(program.steps[step].length);
    const auto begin = program.steps.begin() + static_cast<std::ptrdiff_t>(step) + 1;
    const bool innermost = std::all_of(begin, begin + static_cast<std::ptrdiff_t>(length),
                                       [](const ProgramStep& inner) { return inner.length == 0; });
    if (innermost) most = std::max(most, static_cast<Count>(length));
  }
  return most;
}

int look_ahead_of(const Program& program) {
  Count stages = 1;
  for (const Count of_tile : program.stages) stages = std::max(stages, of_tile);
  return static_cast<int>(std::clamp((stages + 1) * innermost_ops(program), Count{16}, Count{64}));
}

}  // namespace

TimedProgram timed(const Program& program, const Execution& execution, const MachineRates& rates) {
  TimedProgram out;
  out.ops.resize(program.steps.size());
  for_each_op(program, [&](std::size_t step, Count times) {
    const Op& op = program.steps[step].op;
    out.ops[step] = timed_op(op, program, execution, rates);
    out.events = checked::add(out.events, checked::multiply(times, op.unit == Unit::memory ? 2 : 1));
    named("the traffic of a block", [&] { out.traffic += op.traffic * times; });
    for (std::size_t unit = 0; unit < inner_unit_count; ++unit) {
      named("the busy time of a block", [&] {
        out.busy[unit] = checked::add(out.busy[unit], checked::multiply(times, out.ops[step].units[unit]));
      });
    }
  });
  number_stages(out, program);
  out.look_ahead = look_ahead_of(program);
  out.shared = footprint_of(program.tiles).shared;
  return out;
}

Picoseconds length_of(const TimedProgram& program, const MachineRates& rates) {
  Picoseconds length = 0;
  for (std::size_t unit = 0; unit + 1 < inner_unit_count; ++unit) length = checked::add(length, program.busy[unit]);
  const auto bytes = static_cast<double>(program.traffic.total_bytes().value());
  return checked::add(length, to_picoseconds(bytes / rates.port, rates));
}

}  // namespace tilemeter
