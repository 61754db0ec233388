// A validation in every format.
#pragma once

#include <string>

#include "tools/json.hpp"
#include "tools/output/target.hpp"

namespace tilemeter::validation {

/// Whether tables show every row or only what they say together. CSV and JSON always have every row.
enum class RowsShown { all, none };

/// `document` as `document_of` makes it.
std::string rendered(Format format, const Json& document, RowsShown shown);

}  // namespace tilemeter::validation
