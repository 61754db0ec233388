// A chain of elementwise operations, one kernel each or all in one.
#pragma once

#include <string>

#include "model/closed_form/formula.hpp"

namespace tilemeter {

/// k operations on N elements, the first s of which also read a tensor of N elements of their own. Unfused, every
/// operation is a kernel: kN + sN read, kN written (X by the first, Y by the others). Fused: N + sN read, N written.
/// The ratio is k only without side inputs: 1.5 instead of 2 for k = 2, s = 2.
Work elementwise_bill(const Case& point);

/// X and the side inputs read once, Y written once.
Work elementwise_compulsory(const Case& point);

std::string elementwise_expression(const Case& point);

/// A piece of the chain's value, and one of a side input in the kernels that read one.
std::vector<KernelTiles> elementwise_tiles(const Case& point);

/// Refuses more side inputs than operations.
std::string refuse_side_inputs(std::string_view name, const Case& point);

/// How often an element is rounded to its type in memory.
Count elementwise_roundings(const Case& point);

}  // namespace tilemeter
