// What a GPU's clocks and power did while something ran: samples, and what they say together.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "model/units.hpp"

namespace tilemeter::kernels {

/// One look at a GPU. What the GPU does not tell is absent.
struct ClockSample {
  double seconds = 0;  ///< since sampling began
  std::optional<double> sm_hertz;
  std::optional<double> memory_hertz;
  std::optional<double> watts;           ///< as the driver averages it: over the last second on recent GPUs
  std::optional<double> joules;          ///< spent since the driver was loaded
  std::optional<std::uint64_t> reasons;  ///< why the clocks are what they are, a bit each (`clock_reasons_text`)
};

/// Samples in figures; absent where no sample has the quantity.
struct ClockSummary {
  Count samples = 0;
  double seconds = 0;              ///< from the first sample to the last
  std::optional<double> sm_hertz;  ///< mean
  std::optional<double> sm_hertz_least;
  std::optional<double> sm_hertz_most;
  std::optional<double> memory_hertz;  ///< mean
  std::optional<double> watts;         ///< joules over seconds where the GPU counts them, else the mean of the samples
  std::optional<std::uint64_t> reasons;  ///< of any sample
  double throttled_share = 0;            ///< samples in which something held the clock down
};

/// Throws InputError without samples.
ClockSummary summarise_clocks(std::span<const ClockSample> samples);

/// Whether the clock was held down: by power or temperature, in software or hardware. Idleness, and clocks that someone
/// asked for, do not count.
bool holds_clock_down(std::uint64_t reasons);

/// "power cap, thermal slowdown"; "none" for 0. Unknown bits in hexadecimal.
std::string clock_reasons_text(std::uint64_t reasons);

}  // namespace tilemeter::kernels
