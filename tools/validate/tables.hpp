// A validation as tables for people, made of its JSON.
#pragma once

#include <vector>

#include "tools/json.hpp"
#include "tools/tables/table.hpp"

namespace tilemeter::validation {

/// Whether tables show every row, or only what rows say together.
enum class RowsShown { all, none };

/// Verdicts first, then what misses a limit, errors together and by kernel, and the ladder; with all rows also fits,
/// every row, and errors on the side of a split that it is not about.
std::vector<tables::MadeTable> summary_tables(const Json& document, RowsShown shown);

}  // namespace tilemeter::validation
