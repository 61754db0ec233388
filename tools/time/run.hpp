// What `predict` and `simulate` do alike: points from options, counted, timed, and simulated.
#pragma once

#include <functional>

#include "tools/commands/shared.hpp"
#include "tools/json.hpp"
#include "tools/time/timed_point.hpp"

namespace tilemeter {

/// A point with its time in closed form and by the engine.
struct SimulatedPoint {
  PointResult result;
  TimedPoint time;
  Simulated simulated;
};

/// The points of `arguments` on their device, each counted, timed and simulated. Throws InputError without --device,
/// for several values of an option other than --algorithm, and for points that do not fit.
std::vector<SimulatedPoint> simulated_points(const Arguments& arguments, std::string_view who,
                                             const EngineOptions& options);

/// The JSON of a point that both commands have: that of `count` with times, traffic at each level, waits and launches.
Json simulated_point_json(const SimulatedPoint& point);

}  // namespace tilemeter
