#include "kernels/flash3_backward.hpp"

namespace tilemeter::kernels {

bool flash3_backward_repeats(const Case& point) { return point.options.accumulation == Accumulation::deterministic; }

}  // namespace tilemeter::kernels
