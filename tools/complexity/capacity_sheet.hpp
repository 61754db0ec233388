// The tables of `tilemeter complexity` that say from which M something pays.
#pragma once

#include "tools/json.hpp"
#include "tools/tables/table.hpp"

namespace tilemeter::complexity {

/// Of the arrays "break_even" and "crossovers" of its JSON.
tables::MadeTable break_even_table(const Json& rows);
tables::MadeTable crossover_table(const Json& rows);

}  // namespace tilemeter::complexity
