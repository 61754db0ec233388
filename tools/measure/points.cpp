#include "tools/measure/points.hpp"

namespace tilemeter {
namespace {

const kernels::Kernel* kernel_of(const Arguments& arguments) {
  const auto name = arguments.find("--kernel");
  return name ? &kernels::kernel_named(*name) : nullptr;
}

/// With --kernel alone, the algorithm is the one that it mirrors.
Arguments with_algorithm(const Arguments& arguments, const kernels::Kernel* kernel) {
  if (kernel == nullptr || arguments.has("--algorithm")) return arguments;
  std::vector<Arguments::Given> options = {{"--algorithm", std::string(kernel->algorithm)}};
  options.insert(options.end(), arguments.options().begin(), arguments.options().end());
  return {std::move(options), arguments.words()};
}

std::vector<Measurement> planned(const PointGrid& grid, const kernels::Kernel* kernel) {
  std::vector<Measurement> measurements;
  for (std::size_t i = 0; i < grid.size(); ++i) {
    Measurement measurement{.plan = plan_of(grid[i], kernel), .bill = {}};
    measurement.bill = evaluate(measurement.plan.request, {});
    measurement.refusal = measurement.plan.refusal ? measurement.plan.refusal : measurement.bill.refusal;
    if (grid.size() == 1 && measurement.refusal) throw InputError(*measurement.refusal);
    measurements.push_back(std::move(measurement));
  }
  return measurements;
}

}  // namespace

PlannedPoints planned_points(const Arguments& given) {
  const kernels::Kernel* kernel = kernel_of(given);
  PointGrid grid = point_grid(with_algorithm(given, kernel), "measure", Several::many);
  std::vector<Measurement> measurements = planned(grid, kernel);
  return {std::move(grid), std::move(measurements)};
}

}  // namespace tilemeter
