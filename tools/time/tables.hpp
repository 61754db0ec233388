// Timed points as tables for people, made of their JSON.
#pragma once

#include <string>
#include <vector>

#include "tools/json.hpp"
#include "tools/tables/table.hpp"

namespace tilemeter {

/// "flash2, 128 x 128 (fit), ... on h200".
std::string timed_subject(const Json& point);

/// Times, bounds, traffic at each level, waits, launches and the rates that were used.
std::vector<tables::MadeTable> predict_tables(const Json& point);

/// Times, units, traffic, waits, launches, and the SMs.
std::vector<tables::MadeTable> simulate_tables(const Json& point);

/// Several points, a row each.
tables::MadeTable timed_list(const Json& points);

}  // namespace tilemeter
