// Tensors with numbers, outside of any run.
#pragma once

#include <map>
#include <vector>

#include "model/tensor.hpp"
#include "sim/numerics.hpp"

namespace tilemeter {

using Matrix = numerics::Numbers<double>;

/// Tensors by name, one matrix a stream that owns one. Packed rows interleave the heads of a group.
using Values = std::map<TensorName, std::vector<Matrix>>;

}  // namespace tilemeter
