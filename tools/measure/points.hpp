// The points that a command line of `measure` asks for.
#pragma once

#include <vector>

#include "tools/command.hpp"
#include "tools/measure/measurement.hpp"
#include "tools/options/point_options.hpp"

namespace tilemeter {

struct PlannedPoints {
  PointGrid grid;
  std::vector<Measurement> measurements;  ///< in the order of the grid: planned and billed, not run
};

/// Plans every point, so that wrong input is refused before anything runs. Throws InputError for it, and for a single
/// point that no kernel runs; of several such points those are kept, with their reason.
PlannedPoints planned_points(const Arguments& arguments);

}  // namespace tilemeter
