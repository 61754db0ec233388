#include "kernels/flash1.hpp"

#include "kernels/catalog.hpp"

namespace tilemeter::kernels {

std::optional<std::string> refusal_of_flash1(const Case& point) {
  const Problem& problem = point.problem;
  const Options& options = point.options;
  if (problem.o_dtype != DType::fp32 && problem.o_dtype != problem.dtype) {
    return "--o-dtype " + std::string(name_of(problem.o_dtype)) + " with --dtype " +
           std::string(name_of(problem.dtype)) + ": O is fp32 or of the operands' type";
  }
  if (options.row_splits < 1) return "--row-splits " + std::to_string(options.row_splits) + ": must be at least 1";
  if (options.init == StatisticsInit::counted) return "--init: the kernel finds the initial O, l, m in place";
  if (options.mistake != Mistake::none) return "--unsafe " + std::string(name_of(options.mistake)) + ": not built";
  return grid_too_large(flash1_blocks(point));
}

Count flash1_blocks(const Case& point) {
  return named("the grid", [&] { return checked::multiply(point.problem.streams(), point.options.row_splits); });
}

}  // namespace tilemeter::kernels
