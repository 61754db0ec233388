#include "tools/time/run.hpp"

#include "sim/catalog.hpp"
#include "tools/options/kernel_option.hpp"
#include "tools/options/point_options.hpp"
#include "tools/time/json.hpp"
#include "tools/time/options.hpp"

namespace tilemeter {
namespace {

/// Fills `simulated`, or says why not.
void simulate_point(SimulatedPoint& point, const EngineOptions& options, Beyond beyond) {
  const std::string algorithm(point.result.request.algorithm->name);
  if (beyond == Beyond::closed_form && !has_blocks(algorithm)) {
    point.not_simulated = "not simulated: the blocks of " + algorithm + " are a way of writing it down, not a grid";
    return;
  }
  try {
    point.simulated = simulated(point.result, point.time, options);
  } catch (const TooManyEvents& error) {
    if (beyond == Beyond::refused) throw;
    point.not_simulated = std::string("not simulated: ") + error.what();
  }
}

/// What the described kernel does in `build`, or the algorithm's kernel is taken to do, as the options change it.
ChooseExecution execution_by(const std::optional<KernelDescription>& kernel, const KernelBuild* build,
                             const Arguments& arguments) {
  return [&, build](std::string_view algorithm, const Case& whole, const Device& device) {
    if (build == nullptr) return changed_execution(default_execution(algorithm, whole, device), arguments, device);
    Execution execution = build->execution;
    execution.kernel = kernel->name;
    return changed_execution(execution, arguments, device);
  };
}

SimulatedPoint simulated_point(const PointRequest& request, const std::optional<KernelDescription>& kernel,
                               const Arguments& arguments, const EngineOptions& options, Beyond beyond) {
  const KernelBuild* build = kernel ? &nearest_build(*kernel, request) : nullptr;
  SimulatedPoint point;
  point.result = evaluate(build != nullptr ? with_sizes(request, *build) : request, {});
  if (point.result.refusal) throw InputError(*point.result.refusal);
  point.time = timed(point.result, execution_by(kernel, build, arguments));
  simulate_point(point, options, beyond);
  return point;
}

}  // namespace

std::vector<SimulatedPoint> simulated_points(const Arguments& arguments, std::string_view who,
                                             const EngineOptions& options, Beyond beyond) {
  const std::optional<KernelDescription> kernel = described_kernel(arguments);
  const PointGrid grid = point_grid(with_algorithm_of(kernel, arguments), who, Several::one_but_algorithms);
  if (!grid[0].device) {
    throw InputError(std::string(who) + " needs --device NAME or FILE.toml; `tilemeter devices` lists the names");
  }
  check_all(grid, {});
  std::vector<SimulatedPoint> points;
  for (std::size_t i = 0; i < grid.size(); ++i) {
    points.push_back(simulated_point(grid[i], kernel, arguments, options, beyond));
  }
  return points;
}

Json simulated_point_json(const SimulatedPoint& point) {
  Json json = point_json(point.result, Feasibility::silent);
  json["execution"] = execution_json(point.time);
  const auto& simulated = point.simulated;
  json["levels"] = simulated ? levels_json(*simulated) : levels_json(point.result, point.time);
  json["hbm"] = simulated ? hbm_json(*simulated) : hbm_json(point.time);
  json["time"] = simulated ? time_json(point.result, point.time, *simulated) : time_json(point.result, point.time);
  json["estimate"] = estimate_json(point.time);
  json["waits"] = simulated ? waits_json(*simulated) : Json(nullptr);
  json["launches"] = simulated ? launches_json(*simulated) : Json(nullptr);
  json["rates"] = rates_json(point.time.rates);
  json["notes"] = point.time.estimate.notes;
  if (!simulated) json["notes"].push_back(point.not_simulated);
  return json;
}

}  // namespace tilemeter
