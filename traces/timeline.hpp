// Who did what from when to when, after waiting for what: the shape of predicted and measured time.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "traces/phase.hpp"

namespace tilemeter {

/// Picoseconds. 2^63 of them are 106 days.
using Picoseconds = std::int64_t;

inline double seconds_of(Picoseconds time) { return static_cast<double>(time) * 1e-12; }

/// What an SM does its work on. `load` and `store` are its way to and from the L2.
enum class SmUnit { tensor, exp, fma, alu, shared, load, store };
inline constexpr std::size_t sm_unit_count = 7;
inline constexpr std::array<SmUnit, sm_unit_count> sm_units = {SmUnit::tensor, SmUnit::exp,  SmUnit::fma,  SmUnit::alu,
                                                               SmUnit::shared, SmUnit::load, SmUnit::store};
std::string_view name_of(SmUnit unit);

/// What a block waits for: device memory, the L2, a unit that works for another of its ops or for another block, the
/// block's own earlier result, its stores on their way out, a barrier, or the launch.
enum class Wait { hbm, l2, tensor, exp, fma, alu, shared, order, store, barrier, launch };
inline constexpr std::size_t wait_count = 11;
inline constexpr std::array<Wait, wait_count> wait_causes = {Wait::hbm,   Wait::l2,      Wait::tensor, Wait::exp,
                                                             Wait::fma,   Wait::alu,     Wait::shared, Wait::order,
                                                             Wait::store, Wait::barrier, Wait::launch};
std::string_view name_of(Wait wait);

/// One op on one unit.
struct Span {
  int sm = 0;
  SmUnit unit = SmUnit::tensor;
  Phase phase = Phase::transform;
  std::int64_t block = 0;  ///< number in launch order
  Picoseconds begin = 0;
  Picoseconds end = 0;
  Wait after = Wait::order;  ///< what the op waited for last
  Picoseconds waited = 0;    ///< how long, before `begin`
};

struct Timeline {
  std::string title;
  std::vector<Span> spans;  ///< by begin
};

}  // namespace tilemeter
