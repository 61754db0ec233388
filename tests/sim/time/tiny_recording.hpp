// Recordings of a few ops and a machine of round numbers, for times that can be computed by hand.
#pragma once

#include <utility>
#include <vector>

#include "sim/time/engine.hpp"

namespace tilemeter {

/// Picoseconds in a clock of the tiny machine.
inline constexpr Picoseconds clock_ps = 1000;

/// 1 GHz. Products 1000 FLOP/clk, fma 100, exp 10; a port of 16 B/clk; L2 and HBM latency 100 clk; no launch time.
inline MachineRates tiny_rates(Count sms) {
  MachineRates rates;
  rates.sms = sms;
  rates.clock_hz = 1e9;
  rates.tensor = 1000;
  rates.exp = 10;
  rates.fma = 100;
  rates.alu = 50;
  rates.shared = 100;
  rates.port = 16;
  rates.l2 = 1e12;
  rates.hbm = 1e12;
  rates.l2_latency = 100;
  rates.hbm_latency = 100;
  rates.l2_capacity = Bytes(1 << 20);
  return rates;
}

/// Tiles of 64 x 16 numbers of 2 B: 2048 B, 128 clocks at the port.
inline constexpr Count tile_rows = 64;
inline constexpr Count tile_cols = 16;
inline constexpr Count tile_bytes = 2 * tile_rows * tile_cols;

/// Builds the program of a block, and where it reads and writes. All its tiles are in registers.
class TinyBlock {
 public:
  explicit TinyBlock(std::vector<Count> stages) { program_.stages = std::move(stages); }

  /// `rows` rows of tensor 0 from `row` on into `tile`; `move` rows further in each iteration of the loop around it.
  TinyBlock& load(TileId tile, Count row, Count rows = tile_rows, Count move = 0) {
    Op op = memory_op(rows);
    op.traffic = {.read = Elements(rows * tile_cols), .read_bytes = Bytes(2 * rows * tile_cols)};
    op.phase = Phase::load_k;
    op.writes[0] = tile;
    return add_memory(op, {.tensor = 0, .area = {.row = row, .rows = rows, .cols = tile_cols}}, move);
  }
  /// `tile` to tensor 1, from `row` on.
  TinyBlock& store(TileId tile, Count row) {
    Op op = memory_op(tile_rows);
    op.traffic = {.write = Elements(tile_rows * tile_cols), .write_bytes = Bytes(tile_bytes)};
    op.phase = Phase::store;
    op.reads[0] = tile;
    return add_memory(op, {.tensor = 1, .area = {.row = row, .rows = tile_rows, .cols = tile_cols}}, 0);
  }
  /// Products of so many clocks, of tile `from` into tile `to`.
  TinyBlock& multiply(Count clocks, TileId from, TileId to) {
    Op op;
    op.unit = Unit::tensor;
    op.phase = Phase::scores;
    op.matmul_flops = Flops(1000 * clocks);
    op.reads[0] = from;
    op.writes[0] = to;
    return add({.op = op});
  }
  /// Multiply-adds of so many clocks.
  TinyBlock& scale(Count clocks, TileId tile) {
    Op op;
    op.phase = Phase::rescale;
    op.scalars.fma = 100 * clocks;
    op.reads[0] = tile;
    op.writes[0] = tile;
    return add({.op = op});
  }
  /// A loop over the next `length` steps.
  TinyBlock& loop(Count times, int length) { return add({.times = times, .length = length}); }

  const Program& program() const { return program_; }
  const std::vector<RecordedArea>& areas() const { return areas_; }

 private:
  static Op memory_op(Count) {
    Op op;
    op.unit = Unit::memory;
    return op;
  }
  TinyBlock& add(ProgramStep step) {
    program_.steps.push_back(step);
    return *this;
  }
  TinyBlock& add_memory(const Op& op, const RecordedArea& place, Count move) {
    ProgramStep step = {.op = op, .area = static_cast<int>(areas_.size())};
    step.moves[0].rows = move;
    areas_.push_back(place);
    return add(step);
  }

  Program program_;
  std::vector<RecordedArea> areas_;
};

/// A launch of the blocks, of each of `streams` streams.
inline RecordedLaunch tiny_launch(const std::vector<TinyBlock>& blocks, Count streams = 1) {
  RecordedLaunch launch;
  launch.kernel = "tiny";
  launch.streams = streams;
  for (const TinyBlock& block : blocks) {
    launch.blocks.push_back(
        {.program = static_cast<int>(launch.programs.size()), .first_area = static_cast<int>(launch.areas.size())});
    launch.programs.push_back(block.program());
    launch.areas.insert(launch.areas.end(), block.areas().begin(), block.areas().end());
  }
  return launch;
}

/// Tensors 0 and 1 with a matrix of 4096 rows for each stream.
inline Recording tiny_recording(const std::vector<TinyBlock>& blocks, Count streams = 1) {
  Recording recording;
  recording.tensors = {{.name = TensorName::K, .streams = streams, .rows = 4096, .cols = tile_cols},
                       {.name = TensorName::O, .streams = streams, .rows = 4096, .cols = tile_cols}};
  recording.launches = {tiny_launch(blocks, streams)};
  return recording;
}

/// One block an SM, all ops by their hazards alone.
inline Execution tiny_execution() {
  Execution execution;
  execution.blocks_per_sm = 1;
  return execution;
}

/// All SMs traced, nothing folded.
inline Simulated simulate_tiny(const Recording& recording, const Execution& execution, const MachineRates& rates) {
  static const Device device = load_device("h200");
  return simulate(recording, execution, device, rates,
                  {.waves = Waves::all, .traced_sms = static_cast<int>(rates.sms)});
}

}  // namespace tilemeter
