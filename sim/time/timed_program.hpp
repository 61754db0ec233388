// A program with what its ops cost on a machine, in the form that the engine walks.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/time/cost.hpp"
#include "sim/time/program.hpp"

namespace tilemeter {

/// Ops of a block start in program order within each of these.
enum class OpQueue : std::uint8_t { load, store, tensor, vector };
inline constexpr std::size_t op_queue_count = 4;

/// The units that ops of the block reserve, without the ports.
inline constexpr std::size_t inner_unit_count = 5;
static_assert(sm_units[inner_unit_count] == SmUnit::load);

struct TimedOp {
  OpQueue queue = OpQueue::vector;
  Phase phase = Phase::transform;
  std::uint8_t reads = 0;   ///< how many of `read` are tiles
  std::uint8_t writes = 0;  ///< ...
  std::array<std::int16_t, 4> read{};
  std::array<std::int16_t, 4> write{};
  std::array<Picoseconds, inner_unit_count> units{};   ///< tensor, exp, fma, alu, shared
  std::array<Picoseconds, inner_unit_count> stalls{};  ///< that each unit loses to it
  Count edge = 0;                                      ///< bytes that pass the port
  const Op* op = nullptr;
};

/// A program's ops by step, and the totals of a block of it.
struct TimedProgram {
  std::vector<TimedOp> ops;          ///< by step; loops have an empty one
  std::vector<std::int32_t> first;   ///< by TileId: its first stage among `stages` of the block
  std::vector<std::int32_t> stages;  ///< by TileId
  std::int32_t all_stages = 0;
  int look_ahead = 64;  ///< ops that may wait at a time: those of as many iterations as a ring has stages, and one more
  Bytes shared{};       ///< that the block holds
  Traffic traffic{};
  Count events = 0;  ///< of a block: one an op, two a transfer
  std::array<Picoseconds, inner_unit_count> busy{};
};

/// `program` must outlive it. Throws InputError for a program of more tiles and stages than 2^15.
TimedProgram timed(const Program& program, const Execution& execution, const MachineRates& rates);

/// Sum of the longest unit of each op, and of its bytes at the port's rate: what orders blocks by length.
Picoseconds length_of(const TimedProgram& program, const MachineRates& rates);

}  // namespace tilemeter
