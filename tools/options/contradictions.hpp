// Options that cannot stand together, or not alone.
#pragma once

#include <string_view>

#include "tools/command.hpp"

namespace tilemeter {

/// Throws InputError that names both options of a pair that contradicts itself, or the option that is missing.
void refuse_contradictions(const Arguments& arguments);

}  // namespace tilemeter
