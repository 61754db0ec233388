// What `predict` and `simulate` do alike: points from options, counted, timed, and simulated.
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

/// The JSON of a point that both commands have: that of `count` with times, traffic at each level, waits and launches;
/// of a point that was not simulated what the engine would have said is null, and the time that of the closed form.
Json simulated_point_json(const SimulatedPoint& point);

}  // namespace tilemeter
