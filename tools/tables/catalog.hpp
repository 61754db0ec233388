// The reference tables by name.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/tables/table.hpp"

namespace tilemeter::tables {

/// All tables, in the order in which they are printed.
std::span<const TableSpec> catalog();

/// Throws InputError that lists the names.
const TableSpec& find_table(std::string_view name);

/// Makes the tables in order.
std::vector<MadeTable> make(const std::vector<TableSpec>& specs);

/// Every check that failed: "table: row: figure: ours against the reference".
std::vector<std::string> failures_of(const std::vector<MadeTable>& made);

/// 0, or 1 when a check failed.
int exit_status(const std::vector<MadeTable>& made);

}  // namespace tilemeter::tables
