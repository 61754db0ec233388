// A point with its time on a device: bounds, roofline, closed form, and what the engine says.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/reuse.hpp"
#include "model/roofline.hpp"
#include "model/time_estimate.hpp"
#include "sim/time/engine.hpp"
#include "tools/point.hpp"

namespace tilemeter {

/// The plain roofline: max(FLOPs / peak, compulsory bytes / bandwidth of device memory), nothing else.
struct RooflineTime {
  std::optional<double> peak;       ///< seconds with data-sheet peaks; unknown where there is no peak for the type
  std::optional<double> sustained;  ///< the same with the share of the bandwidth that large transfers reach
  std::optional<double> share;      ///< that share
  Binding binding = Binding::unknown;
};

/// The time of one point in closed form; of segments, one launch after the other.
struct TimedPoint {
  Execution execution;
  MachineRates rates;
  RooflineTime roofline;
  DramEstimate hbm;  ///< what the L2 lets through, in closed form
  TimeEstimate estimate;
  Hertz clock{};
  std::optional<OpsPerSecond> peak;  ///< of the tensor pipe for the type, at the clock
};

/// What the kernels of a computation do, before anybody asks how fast.
struct PreparedPart {
  Case point;
  std::vector<KernelWork> kernels;
  DramEstimate hbm;
};

/// A counted point whose time can be asked for again and again, with other rates.
struct PreparedPoint {
  Execution execution;
  MachineRates rates;  ///< those that it was prepared with
  RooflineTime roofline;
  std::optional<OpsPerSecond> peak;
  std::vector<PreparedPart> parts;  ///< of segments, one launch after the other
  std::vector<std::string> notes;
};

/// Chooses the execution for a resolved case.
using ChooseExecution = std::function<Execution(std::string_view algorithm, const Case&, const Device&)>;

/// The parts of a counted point, as cases with the tile sizes that were chosen.
std::vector<Case> cases_of(const PointResult& result);

/// What the time of a counted point, which has a device, depends on. Throws InputError where the device has no rate for
/// its type.
PreparedPoint prepare(const PointResult& result, const ChooseExecution& choose);

/// The time of what was prepared, with `rates` that differ in what a fit says of them.
TimeEstimate time_of(const PreparedPoint& prepared, std::string_view algorithm, const MachineRates& rates);

/// The time of a counted point, which has a device. Throws InputError where the device has no rate for its type.
TimedPoint timed(const PointResult& result, const ChooseExecution& choose);

/// The engine's run of a counted point; of segments, the runs one after the other. Throws as `simulate`.
Simulated simulated(const PointResult& result, const TimedPoint& time, const EngineOptions& options);

/// Share of the peak at the clock that `seconds` reach with the FLOPs that the problem needs (visible pairs, whatever
/// masked tiles are computed); nothing without a peak.
std::optional<double> share_of_peak(const PointResult& result, const TimedPoint& time, double seconds);

}  // namespace tilemeter
