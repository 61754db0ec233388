// Tables as one plain HTML page.
#pragma once

#include <string>
#include <vector>

#include "tools/tables/render.hpp"

namespace tilemeter::tables {

/// A self-contained page: a heading, a table and its notes for each table. No script, no other file.
std::string page_of(const std::vector<MadeTable>& tables);

}  // namespace tilemeter::tables
