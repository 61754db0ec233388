// A forward pass of attention on numbers that are given.
#pragma once

#include "sim/values.hpp"
#include "tools/command.hpp"
#include "tools/json.hpp"

namespace tilemeter {

struct Attended {
  Json point;      ///< as `count` has it
  Values outputs;  ///< O and LSE of each query head
};

/// Runs the algorithm of `arguments`, which also give the sizes, in its tiles on `inputs`: Q of each query head over
/// the batch, K and V of each K/V head; outputs in the same order, also with --packed. Numbers are rounded to their
/// types where the algorithm stores them. Throws InputError: several points, --segments, an algorithm that does not
/// compute attention, dropout, a tiling that does not fit, fp8.
Attended attend(const Arguments& arguments, Values inputs);

}  // namespace tilemeter
