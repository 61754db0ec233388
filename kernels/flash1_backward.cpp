#include "kernels/flash1_backward.hpp"

#include "kernels/catalog.hpp"

namespace tilemeter::kernels {

std::optional<std::string> refusal_of_flash1_backward(const Case& point) {
  const Problem& problem = point.problem;
  if (problem.o_dtype != DType::fp32 && problem.o_dtype != problem.dtype) {
    return "--o-dtype " + std::string(name_of(problem.o_dtype)) + " with --dtype " +
           std::string(name_of(problem.dtype)) + ": dQ is fp32 or of the operands' type";
  }
  if (point.options.init == StatisticsInit::counted) return "--init: the kernel finds the initial dQ in place";
  return grid_too_large(problem.streams());
}

}  // namespace tilemeter::kernels
