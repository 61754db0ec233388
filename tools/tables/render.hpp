// Tables as text, Markdown, CSV, JSON and HTML.
#pragma once

#include <string>
#include <vector>

#include "tools/json.hpp"
#include "tools/output/target.hpp"
#include "tools/tables/table.hpp"

namespace tilemeter::tables {

/// CSV of one table has its columns ("traffic (elements)"); of several, one line a cell: table, row, column, unit,
/// value. JSON and CSV hold numbers whole, the other formats rounded as the table shows them. `arguments` are those of
/// `tilemeter tables`, for JSON and HTML.
std::string render(Format format, const std::vector<MadeTable>& tables, const Arguments& arguments = {});

/// What JSON holds of each table: name, title, source, columns, rows, how many do not fit, failures, notes.
Json tables_json(const std::vector<MadeTable>& tables);

/// "2 of 5 rows do not fit", or nothing.
std::string infeasible_text(const Table& table);

/// A cell as the table shows it.
std::string cell_text(const Cell& cell);

}  // namespace tilemeter::tables
