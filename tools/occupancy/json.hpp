// Rows of occupancy as JSON and as CSV.
#pragma once

#include <string>

#include "tools/json.hpp"
#include "tools/occupancy/row.hpp"

namespace tilemeter {

/// One row. Integers are exact; what is not known is null.
Json occupancy_json(const OccupancyRow& row);

/// Rows of `occupancy_json` as CSV with a header; columns are paths joined by `_`, the same in every file.
std::string occupancy_csv(const Json& rows);

}  // namespace tilemeter
