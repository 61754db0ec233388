// Results of `tune` as CSV.
#pragma once

#include <string>

#include "tools/json.hpp"

namespace tilemeter {

/// {"columns": [name, ...], "rows": [[value, ...], ...]}: a row a tiling, of tune_document's document.
Json tune_table(const Json& document);

/// One row a tiling: the result it belongs to, the list it stands in, and its figures. Columns are the same in every
/// file.
std::string tune_csv(const Json& document);

}  // namespace tilemeter
