#include "kernels/standard_backward.hpp"

#include <algorithm>

#include "kernels/catalog.hpp"

namespace tilemeter::kernels {

std::optional<std::string> refusal_of_standard_backward(const Case& point) {
  const Problem& problem = point.problem;
  const UnfusedGradients& unfused = point.options.unfused_gradients;
  if (unfused.scale || unfused.mask || unfused.dropout) {
    return "--unfused: scale and mask are part of the kernel of dS, and there is no dropout";
  }
  if (problem.score_dtype != problem.dtype) {
    return "--score-dtype " + std::string(name_of(problem.score_dtype)) + " with --dtype " +
           std::string(name_of(problem.dtype)) + ": P, dP and dS are of the operands' type";
  }
  const Count longest = StandardBackwardLayout::resident_rows(problem.head_dim);
  const Count length = std::max(problem.seq_q, problem.seq_k);
  if (length > longest) {
    return "--seq " + std::to_string(length) + ": an operand of at most " + std::to_string(longest) +
           " rows stays on chip";
  }
  return grid_too_large(checked::multiply(problem.streams(), problem.rows()));
}

}  // namespace tilemeter::kernels
