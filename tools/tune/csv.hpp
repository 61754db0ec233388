// Results of `tune` as CSV.
#pragma once

#include <string>

#include "tools/json.hpp"

namespace tilemeter {

/// One row a tiling: the result it belongs to, the list it stands in, and its figures. Columns are the same in every
/// file.
std::string tune_csv(const Json& document);

}  // namespace tilemeter
