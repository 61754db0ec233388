#include "kernels/visibility.hpp"

#include <algorithm>

namespace tilemeter::kernels {

Visibility visibility_of(const Problem& problem, Count block_k) {
  const Count unlimited = problem.seq_q + problem.seq_k;
  const Count bottom_right = problem.seq_k - problem.seq_q;
  const auto side = [&](const std::optional<Count>& keys) { return std::min(keys.value_or(unlimited), unlimited); };
  switch (problem.mask.kind) {
    case MaskKind::none:
      return {problem.seq_k, bottom_right, unlimited, unlimited};
    case MaskKind::causal:
      return {problem.seq_k, bottom_right, unlimited, 0};
    case MaskKind::causal_top_left:
      return {std::min(problem.seq_k, ceil_div(problem.seq_q, block_k) * block_k), 0, unlimited, 0};
    case MaskKind::window:
      return {problem.seq_k, bottom_right, side(problem.mask.left), side(problem.mask.right)};
    case MaskKind::arbitrary:
      break;
  }
  throw InputError("--mask arbitrary: the kernels take none, causal, causal_top_left, window");
}

bool grows_with_rows(const Mask& mask) {
  return mask.kind == MaskKind::causal || mask.kind == MaskKind::causal_top_left;
}

}  // namespace tilemeter::kernels
