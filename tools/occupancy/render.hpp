// Rows of occupancy as text for people, and as documents.
#pragma once

#include <string>
#include <vector>

#include "tools/occupancy/row.hpp"
#include "tools/output/target.hpp"

namespace tilemeter {

/// The rows in `format`. JSON has a single row at its top, several under "points"; a table shows a single row in full.
std::string render_occupancy(Format format, const std::vector<OccupancyRow>& rows, const Arguments& arguments);

}  // namespace tilemeter
