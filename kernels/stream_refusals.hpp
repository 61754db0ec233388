// Why a point of the kernels that stream through vectors and matrices cannot run: Kernel::refusal of each.
#pragma once

#include <optional>
#include <string>

#include "kernels/tensors.hpp"

namespace tilemeter::kernels {

/// elementwise: more side inputs than operations, or too many pieces for a grid.
std::optional<std::string> refusal_of_chain(const Case& point);

/// softmax: rows that are too many for a grid, or too long, for the registers if they are to stay there.
std::optional<std::string> refusal_of_rows(const Case& point);

/// split_kv: pages, or splits that are too many for the combining kernel or the grid.
std::optional<std::string> refusal_of_splits(const Case& point);

/// linear_attention: what the algorithm refuses, other chunks, and keys that are too many to stay on chip.
std::optional<std::string> refusal_of_linear(const Case& point);

}  // namespace tilemeter::kernels
