// A validation as tables for people, made of its JSON.
#pragma once

#include <vector>

#include "tools/json.hpp"
#include "tools/tables/table.hpp"

namespace tilemeter::validation {

/// Verdicts first, then what misses a limit, errors together and by kernel, the ladder, and fits.
std::vector<tables::MadeTable> summary_tables(const Json& document);

/// Every row.
tables::MadeTable rows_table(const Json& document);

}  // namespace tilemeter::validation
