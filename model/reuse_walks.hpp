// The part of model/reuse about blocks that walk the K and V of a group of heads.
#pragma once

#include "model/reuse.hpp"
#include "model/work.hpp"

namespace tilemeter {

/// The share of 0 <= x <= 1 in which the line from `first` at 0 to `last` at 1 is above `limit`.
double share_above(double first, double last, double limit);

/// Bytes of K and V read from device memory, for algorithms with the query tiles outside. `once` is what is compulsory.
double keys_read(const Case& point, const Work& bill, const Work& once, const Concurrency& concurrency,
                 double capacity);

}  // namespace tilemeter
