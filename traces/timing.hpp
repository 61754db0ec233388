// Samples of a kernel's time, what they say, and whether they can be believed.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "model/statistics.hpp"

namespace tilemeter {

/// What the L2 holds when a launch begins: nothing of its data, or what the launch before left there.
enum class CacheState { cold, warm };
std::string_view name_of(CacheState cache);

/// What lies between the two events of a sample.
enum class TimingMethod { single_launch, batch, graph_replay };
std::string_view name_of(TimingMethod method);

/// What the driver says about the GPU at one moment; absent where it does not.
struct ClockReading {
  Seconds at;  ///< since the measurement began
  std::optional<Hertz> sm_clock{};
  std::optional<Hertz> memory_clock{};
  std::optional<Watts> power{};
  std::optional<double> joules{};  ///< spent since some moment before the measurement
  bool power_capped = false;       ///< the clock is held down to keep the power limit
  bool slowed_down = false;        ///< the clock is held down by heat or by the hardware's protection
};

/// The samples of one measurement. Each is the time of one launch: of `launches` launches between two events, divided.
struct TimedSamples {
  CacheState cache = CacheState::warm;
  TimingMethod method = TimingMethod::single_launch;
  Count launches = 1;
  Bytes flushed;                       ///< written and read to empty the L2 before a sample; 0 when warm
  std::vector<double> seconds;         ///< without those discarded
  Count discarded = 0;                 ///< taken while the clock was held down by heat or protection
  std::vector<ClockReading> readings;  ///< in the order of time
};

/// A measurement gave no sample to build on: all were discarded, or none was taken.
class NoValidSamples : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Samples in figures.
struct TimeSummary {
  CacheState cache = CacheState::warm;
  TimingMethod method = TimingMethod::single_launch;
  Count launches = 1;
  Bytes flushed;
  Summary seconds;            ///< of one launch
  double quartile_range = 0;  ///< seconds between the quartiles
  Count outliers = 0;         ///< samples further than 1.5 quartile ranges from the nearer quartile (Tukey)
  Count discarded = 0;
  bool power_capped = false;
  bool slowed_down = false;
  std::optional<Hertz> sm_clock{};      ///< median of the readings
  std::optional<Hertz> memory_clock{};  ///< likewise
  std::optional<Watts> power{};         ///< energy over time where the GPU counts it, else the mean of the readings
  std::optional<double> clock_fall{};   ///< the largest share that the SM clock lost from a reading to a later one
};

/// Throws NoValidSamples for fewer than 2 samples, and for one that is not a positive finite number.
TimeSummary summarise(const TimedSamples& samples);

/// What one launch does at the least.
struct LaunchDemand {
  Flops flops;
  Bytes compulsory;  ///< inputs read once and outputs written once
  Bytes writes;      ///< the outputs among them: they may end in the L2 and reach device memory later
};

/// What the device can do; unknown where no document states it.
struct DevicePeaks {
  std::optional<OpsPerSecond> arithmetic{};
  Hertz arithmetic_clock;  ///< at which `arithmetic` is stated
  Hertz highest_clock;     ///< that the SM reaches
  std::optional<BytesPerSecond> hbm{};
  Bytes l2;
};

/// What a time means in the light of the launch and the device.
struct TimeVerdict {
  std::optional<std::string> invalid{};  ///< why the time cannot be true
  std::vector<std::string> labels{};     ///< what a reader must know: "launch-bound", "L2-resident", ...
  double flops_per_second = 0;
  double compulsory_bytes_per_second = 0;
  std::optional<double> share_of_peak{};  ///< of the arithmetic peak at the clock that was measured, else as stated
  std::optional<double> share_of_hbm{};   ///< of the bandwidth of device memory; above 1 the L2 served the launch
};

/// Holds the median against max(FLOPs / peak, bytes / bandwidth). A cold launch must bring its inputs from device
/// memory; a warm one may find as much in the L2 as that holds.
TimeVerdict judge(const TimeSummary& summary, const LaunchDemand& demand, const DevicePeaks& peaks);

/// Below this, the fixed costs of a launch decide.
inline constexpr Seconds launch_bound_below{5e-6};
/// A larger fall of the clock is reported.
inline constexpr double tolerated_clock_fall = 0.05;

}  // namespace tilemeter
