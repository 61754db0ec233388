// Waves: how the blocks of a launch fill the SMs, and what the last of them leave idle.
#pragma once

#include <optional>
#include <string>

#include "model/units.hpp"

namespace tilemeter {

/// The blocks of a launch against the blocks that a GPU holds at a time. 512 blocks, 132 SMs, 2 resident: 264 slots, 2
/// waves, the last of 248 blocks.
struct WaveShape {
  Count blocks = 0;
  Count sms = 1;
  Count resident = 1;  ///< blocks of an SM

  Count slots() const { return sms * resident; }
  /// ceil(blocks / slots).
  Count waves() const { return ceil_div(blocks, slots()); }
  /// Blocks of the last wave: 1 to slots, 0 without blocks.
  Count last_blocks() const { return blocks == 0 ? 0 : blocks - (waves() - 1) * slots(); }
  /// Blocks that share the fullest SM in the last wave.
  Count last_resident() const { return ceil_div(last_blocks(), sms); }
  /// Share of the slots that the last wave fills.
  double last_share() const { return static_cast<double>(last_blocks()) / static_cast<double>(slots()); }
  /// Share of the slots that are filled over all waves: of equal blocks, the share of the time that slots work. 1
  /// without blocks.
  double efficiency() const {
    return blocks == 0 ? 1
                       : static_cast<double>(blocks) / (static_cast<double>(waves()) * static_cast<double>(slots()));
  }
  bool fills_sms() const { return blocks >= sms; }
};

/// Throws InputError for a count below 1 (blocks below 0).
WaveShape waves_of(Count blocks, Count sms, Count resident);

/// What to know of a launch with fewer blocks than SMs: its time is a lower bound, since latency and the few loads in
/// flight set it. Nothing for others, and for launches without blocks.
std::optional<std::string> idle_sms_note(const WaveShape& shape);

}  // namespace tilemeter
