// Tables as one plain HTML page.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/tables/table.hpp"

namespace tilemeter::tables {

/// A self-contained page: `title`, then a heading, a table and its notes for each table. No script, no other file.
std::string page_of(const std::vector<MadeTable>& tables, std::string_view title);

}  // namespace tilemeter::tables
