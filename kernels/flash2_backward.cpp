#include "kernels/flash2_backward.hpp"

#include <algorithm>

#include "kernels/catalog.hpp"
#include "model/closed_form/gradients.hpp"

namespace tilemeter::kernels {

std::optional<std::string> refusal_of_flash2_backward(const Case& point) {
  return grid_too_large(named(
      "the grid", [&] { return checked::multiply(point.problem.streams(), flash2_backward_blocks_of_stream(point)); }));
}

bool flash2_backward_repeats(const Case& point) {
  return point.options.variant == Variant::two_kernels || point.options.accumulation == Accumulation::deterministic;
}

Count flash2_backward_blocks_of_stream(const Case& point) {
  return point.options.accumulation == Accumulation::deterministic
             ? accumulation_buffers(point)
             : ceil_div(point.problem.seq_k, point.tiling.block_k);
}

}  // namespace tilemeter::kernels
