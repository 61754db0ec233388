// A validation in every format.
#pragma once

#include <string>

#include "tools/json.hpp"
#include "tools/output/target.hpp"
#include "tools/validate/tables.hpp"

namespace tilemeter::validation {

/// `document` as `document_of` makes it. CSV, JSON and HTML always have every row.
std::string rendered(Format format, const Json& document, RowsShown shown);

}  // namespace tilemeter::validation
