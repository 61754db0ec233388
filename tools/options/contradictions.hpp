// Options that cannot stand together, or not alone.
#pragma once

#include <span>
#include <string_view>

#include "tools/command.hpp"

namespace tilemeter {

struct Algorithm;

/// Throws InputError that names both options of a pair that contradicts itself, or the option that is missing beside
/// another for `algorithms`.
void refuse_contradictions(const Arguments& arguments, std::span<const Algorithm* const> algorithms);

}  // namespace tilemeter
