// Checks of the documents that are records rather than points: what was measured and fitted, occupancies, tables.
#pragma once

#include "tools/report/node.hpp"

namespace tilemeter::report {

/// Each throws InputError that names the place in the document, what stands there and what is accepted.
void check_measurements(const Node& document);
void check_calibration(const Node& document);
void check_occupancies(const Node& document);
/// The list at `key` of tables as `tables` writes them.
void check_tables(const Node& document, const char* key);
/// What a simulated or predicted point says of its time, as far as it does.
void check_time(const Node& point);

}  // namespace tilemeter::report
