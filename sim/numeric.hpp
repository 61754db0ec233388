// Runs with numbers, and the comparison of what they give with the reference.
#pragma once

#include "sim/reference.hpp"
#include "sim/run.hpp"

namespace tilemeter {

/// Largest and relative Frobenius error over the tensors of `expected`, the worst tensor counting. Errors are relative
/// to the norm of the expected tensor, or to that in `norms` where it is larger. A NaN on either side never counts as
/// agreement. A tensor that `outputs` lacks, other than LSE, is an error. `growth` multiplies the tolerance of the
/// types.
NumericCheck compare(const Problem& problem, const Values& outputs, const Values& expected, const Norms& norms = {},
                     double growth = 1);

struct NumericOutputs {
  Counted counted{};
  Values outputs{};
};

/// Runs `algorithm` on `inputs`. Throws InputError for operand types that it cannot compute in.
NumericOutputs run_on(const Algorithm& algorithm, const Case& point, const Budget& budget, const Values& inputs);

}  // namespace tilemeter
