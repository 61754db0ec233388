// One point as a page of text.
#pragma once

#include <string>

#include "tools/json.hpp"

namespace tilemeter {

/// Shape, tiles, traffic per tensor, operations and memory on chip of a counted point, as aligned text with units.
std::string point_sheet(const Json& point);

}  // namespace tilemeter
