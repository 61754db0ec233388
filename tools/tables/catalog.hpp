// The reference tables by name.
#pragma once

#include <span>
#include <string_view>

#include "tools/tables/table.hpp"

namespace tilemeter::tables {

/// All tables, in the order in which they are printed.
std::span<const TableSpec> catalog();

/// Throws InputError that lists the names.
const TableSpec& find_table(std::string_view name);

}  // namespace tilemeter::tables
