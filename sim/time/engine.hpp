// The discrete-event engine: blocks of a recording on SMs that share an L2 and device memory.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "model/machine_rates.hpp"
#include "sim/time/program.hpp"
#include "traces/timeline.hpp"

namespace tilemeter {

/// Whether equal waves of blocks are simulated once and counted often, or all.
enum class Waves { folded, all };

struct EngineOptions {
  Waves waves = Waves::folded;
  /// Events of a launch beyond which its waves are folded: 8 times as many where blocks differ. Three waves are always
  /// simulated.
  Count aim = 250'000;
  Count most = 100'000'000;  ///< events of a launch beyond which it is refused, some 20 s of work
  int traced_sms = 0;        ///< SMs whose spans are kept, from SM 0 on; those of folded blocks are left out
};

/// Traffic at each level: edge of the SMs, L2 hits among its reads, device memory.
struct LevelTraffic {
  Traffic edge{};
  Bytes l2_hits{};  ///< bytes read at the edge that the L2 had
  Bytes dram_read{};
  Bytes dram_write{};  ///< until the end of the last kernel
  Bytes left_dirty{};  ///< written, still in the L2

  LevelTraffic& operator+=(const LevelTraffic& other) {
    edge += other.edge;
    l2_hits += other.l2_hits;
    dram_read += other.dram_read;
    dram_write += other.dram_write;
    left_dirty += other.left_dirty;
    return *this;
  }
};

/// One SM over all launches.
struct SmTime {
  Count blocks = 0;
  Traffic traffic{};
  Bytes shared_peak{};  ///< of all resident blocks together
  std::array<Picoseconds, sm_unit_count> busy{};
  std::array<Picoseconds, wait_count> waits{};  ///< summed over its blocks
  Picoseconds working = 0;                      ///< time of its blocks that is no wait, summed
  Picoseconds resident = 0;                     ///< from their starts to their ends, summed: working and waits
};

struct LaunchTime {
  std::string kernel;
  Count blocks = 0;
  Count resident = 1;    ///< blocks an SM holds
  Count waves = 1;       ///< ceil(blocks / (SMs x resident))
  Picoseconds time = 0;  ///< launch included
};

struct Simulated {
  Picoseconds time = 0;
  std::vector<LaunchTime> launches;
  std::vector<SmTime> sms;
  LevelTraffic levels{};
  Timeline timeline;
  Count events = 0;  ///< ops and transfers that were simulated, without those that folding stands for
};

/// A launch has more events than EngineOptions::most.
class TooManyEvents : public InputError {
 public:
  using InputError::InputError;
};

/// Runs `recording` on `device` as `execution` says. Throws InputError when a block does not fit an SM, and
/// TooManyEvents.
Simulated simulate(const Recording& recording, const Execution& execution, const Device& device,
                   const MachineRates& rates, const EngineOptions& options);

}  // namespace tilemeter
