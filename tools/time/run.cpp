#include "tools/time/run.hpp"

#include "model/footprint.hpp"
#include "model/hardware_candidates.hpp"
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

/// Points on a device, and the kernel that executes them where one is described.
struct TimeQuestion {
  std::optional<KernelDescription> kernel;
  PointGrid grid;
};

TimeQuestion time_question(const Arguments& arguments, std::string_view who) {
  std::optional<KernelDescription> kernel = described_kernel(arguments);
  PointGrid grid = point_grid(with_algorithm_of(kernel, arguments), who, Several::one_but_algorithms);
  if (!grid[0].device) {
    throw InputError(std::string(who) + " needs --device NAME or FILE.toml; `tilemeter devices` lists the names");
  }
  check_all(grid, {});
  return {.kernel = std::move(kernel), .grid = std::move(grid)};
}

/// A point counted, and what executes it.
struct ExecutedPoint {
  PointResult result;
  ChooseExecution execution;
};

ExecutedPoint executed_point(const TimeQuestion& question, std::size_t number, const Arguments& arguments) {
  const PointRequest request = question.grid[number];
  const KernelBuild* build = question.kernel ? &nearest_build(*question.kernel, request) : nullptr;
  return {.result = evaluate(build != nullptr ? with_sizes(request, *build) : request, {}),
          .execution = execution_by(question.kernel, build, arguments)};
}

SimulatedPoint simulated_point(ExecutedPoint executed, const EngineOptions& options, Beyond beyond) {
  if (executed.result.refusal) throw InputError(*executed.result.refusal);
  SimulatedPoint point;
  point.result = std::move(executed.result);
  point.time = timed(point.result, executed.execution);
  simulate_point(point, options, beyond);
  return point;
}

/// Why the kernel would spill; nothing when it would not.
std::optional<std::string> crowding_of(const PointResult& result, const Execution& execution) {
  const Count warps = execution.math_warps;
  const RegisterUse use = register_use(footprint_of(result.memory.tiles).registers, std::nullopt, warps * warp_threads,
                                       *result.request.device);
  if (!crowds_registers(use)) return std::nullopt;
  return std::to_string(use.accumulators_per_thread) + " accumulators a thread with " + std::to_string(warps) +
         " warps, and " + std::to_string(registers_beside_accumulators) +
         " registers beside them: " + result.request.device->name + " has " + std::to_string(use.limit);
}

}  // namespace

EstimatedPoint estimated_point(const Arguments& arguments, std::string_view who) {
  const TimeQuestion question = time_question(arguments, who);
  if (question.grid.size() > 1) throw InputError("--algorithm: expected one");
  const ExecutedPoint executed = executed_point(question, 0, arguments);
  if (executed.result.refusal) return {.time = {}, .refusal = executed.result.refusal};
  EstimatedPoint point{.time = timed(executed.result, executed.execution), .refusal = std::nullopt};
  point.refusal = crowding_of(executed.result, point.time.execution);
  return point;
}

std::vector<SimulatedPoint> simulated_points(const Arguments& arguments, std::string_view who,
                                             const EngineOptions& options, Beyond beyond) {
  const TimeQuestion question = time_question(arguments, who);
  std::vector<SimulatedPoint> points;
  for (std::size_t i = 0; i < question.grid.size(); ++i) {
    points.push_back(simulated_point(executed_point(question, i, arguments), options, beyond));
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
