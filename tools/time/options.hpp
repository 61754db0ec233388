// The options that say how a kernel executes its blocks.
#pragma once

#include <span>

#include "model/execution.hpp"
#include "tools/command.hpp"

namespace tilemeter {

/// --clock --matrix --overlap --scheduling --row-order --fastest --tails --blocks-per-sm --warps.
std::span<const OptionSpec> execution_option_specs();

/// What `arguments` change of the execution that a kernel of `algorithm` is taken to have on `device`. Throws
/// InputError that names the option, its value and what is accepted.
Execution execution_of(const Arguments& arguments, std::string_view algorithm, const Case& point, const Device& device);

}  // namespace tilemeter
