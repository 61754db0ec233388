#include "kernels/flash2_backward.hpp"

#include <algorithm>

#include "kernels/catalog.hpp"
#include "model/closed_form/gradients.hpp"

namespace tilemeter::kernels {
namespace {

bool has_two_kernels(const Case& point) { return point.options.variant == Variant::two_kernels; }

}  // namespace

std::optional<std::string> refusal_of_flash2_backward(const Case& point) {
  constexpr Count compiled = flash2_backward_two_kernels_head_dim;
  if (has_two_kernels(point) && point.problem.head_dim != compiled) {
    return "--variant two_kernels with --head-dim " + std::to_string(point.problem.head_dim) + ": accepted is " +
           std::to_string(compiled);
  }
  const Count blocks = named(
      "the grid", [&] { return checked::multiply(point.problem.streams(), flash2_backward_blocks_of_stream(point)); });
  return grid_too_large(std::max(blocks, grid_blocks(point)));
}

bool flash2_backward_repeats(const Case& point) {
  return has_two_kernels(point) || point.options.accumulation == Accumulation::deterministic;
}

Count flash2_backward_blocks_of_stream(const Case& point) {
  if (!has_two_kernels(point) && point.options.accumulation == Accumulation::deterministic) {
    return accumulation_buffers(point);
  }
  return ceil_div(point.problem.seq_k, point.tiling.block_k);
}

}  // namespace tilemeter::kernels
