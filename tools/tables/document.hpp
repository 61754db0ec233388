// Tables read back from the JSON that they were written to.
#pragma once

#include <string_view>
#include <vector>

#include "tools/tables/table.hpp"

namespace tilemeter::tables {

/// Whether a JSON text of the program is one of `tables`, by its first line or two.
bool is_tables_document(std::string_view json_text);

/// The tables of such a text; real numbers with five significant digits at most. Throws InputError that names `origin`
/// and the place: text that is no JSON, an unknown table, a row with another number of cells than columns.
std::vector<MadeTable> tables_of_document(std::string_view json_text, std::string_view origin);

}  // namespace tilemeter::tables
