#include "tools/time/run.hpp"

#include "sim/catalog.hpp"
#include "tools/options/point_options.hpp"
#include "tools/time/json.hpp"
#include "tools/time/options.hpp"

namespace tilemeter {
namespace {

SimulatedPoint simulated_point(const PointRequest& request, const Arguments& arguments, const EngineOptions& options) {
  SimulatedPoint point;
  point.result = evaluate(request, {});
  if (point.result.refusal) throw InputError(*point.result.refusal);
  point.time = timed(point.result, [&](std::string_view algorithm, const Case& whole, const Device& device) {
    return execution_of(arguments, algorithm, whole, device);
  });
  point.simulated = simulated(point.result, point.time, options);
  return point;
}

}  // namespace

std::vector<SimulatedPoint> simulated_points(const Arguments& arguments, std::string_view who,
                                             const EngineOptions& options) {
  const PointGrid grid = point_grid(arguments, who, Values::one_but_algorithms);
  if (!grid[0].device) {
    throw InputError(std::string(who) + " needs --device NAME or FILE.toml; `tilemeter devices` lists the names");
  }
  check_all(grid, {});
  std::vector<SimulatedPoint> points;
  for (std::size_t i = 0; i < grid.size(); ++i) points.push_back(simulated_point(grid[i], arguments, options));
  return points;
}

Json simulated_point_json(const SimulatedPoint& point) {
  Json json = point_json(point.result, Feasibility::silent);
  json["execution"] = execution_json(point.time);
  json["levels"] = levels_json(point.simulated);
  json["hbm"] = hbm_json(point.simulated);
  json["time"] = time_json(point.result, point.time, point.simulated);
  json["estimate"] = estimate_json(point.time);
  json["waits"] = waits_json(point.simulated);
  json["launches"] = launches_json(point.simulated);
  json["rates"] = rates_json(point.time.rates);
  json["notes"] = point.time.estimate.notes;
  return json;
}

}  // namespace tilemeter
