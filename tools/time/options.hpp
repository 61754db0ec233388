// The options that say how a kernel executes its blocks.
#pragma once

#include <span>

#include "model/execution.hpp"
#include "tools/command.hpp"

namespace tilemeter {

/// --clock --matrix --overlap --scheduling --row-order --fastest --tails --blocks-per-sm --warps.
std::span<const OptionSpec> execution_option_specs();

/// `execution` with what `arguments` change of it. Throws InputError that names the option, its value and what is
/// accepted on `device`.
Execution changed_execution(Execution execution, const Arguments& arguments, const Device& device);

}  // namespace tilemeter
