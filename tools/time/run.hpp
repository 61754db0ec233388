// What `predict` and `simulate` do alike: points from options, counted, timed, and simulated; and an estimate alone.
#pragma once

#include <optional>
#include <string>

#include "tools/commands/shared.hpp"
#include "tools/json.hpp"
#include "tools/time/timed_point.hpp"

namespace tilemeter {

/// A point with its time in closed form and by the engine.
struct SimulatedPoint {
  PointResult result;
  TimedPoint time;
  std::optional<Simulated> simulated;
  std::string not_simulated;  ///< why it is not
};

/// What becomes of a point whose simulation would take too long, or would say nothing about its time.
enum class Beyond { refused, closed_form };

/// The points of `arguments` on their device, each counted, timed and simulated. Throws InputError without --device,
/// for several values of an option other than --algorithm, and for points that do not fit.
std::vector<SimulatedPoint> simulated_points(const Arguments& arguments, std::string_view who,
                                             const EngineOptions& options, Beyond beyond);

/// The time of one point in closed form, or why a kernel in its tiles would not run, or not at its speed.
struct EstimatedPoint {
  TimedPoint time;
  std::optional<std::string> refusal;
};

/// The point of `arguments`, which must be one, on its device. A tiling that does not fit, or whose accumulators crowd
/// the registers of a thread, is a refusal. Throws InputError as simulated_points for everything else.
EstimatedPoint estimated_point(const Arguments& arguments, std::string_view who);

/// The JSON of a point that both commands have: that of `count` with times, traffic at each level, waits and launches;
/// of a point that was not simulated what the engine would have said is null, and the time that of the closed form.
Json simulated_point_json(const SimulatedPoint& point);

}  // namespace tilemeter
