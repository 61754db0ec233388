// Cells from the JSON of `tilemeter complexity`.
#pragma once

#include <string_view>

#include "tools/json.hpp"
#include "tools/tables/table.hpp"

namespace tilemeter::complexity {

std::string_view text_at(const Json& object, const char* key);

/// A text of `object`.
tables::Cell words(const Json& object, const char* key);
/// An integer of `object`, or nothing for null.
tables::Cell whole(const Json& object, const char* key);
/// A number with so many decimals, or nothing for null.
tables::Cell decimal(const Json& value, int decimals);
/// The figures that count as agreement: ">= 1", "-1", "1.976 to 2.016"; nothing where all do.
tables::Cell accepted_cell(const Json& accepted);

}  // namespace tilemeter::complexity
