// A validation as JSON, from which every format is made.
#pragma once

#include "tools/json.hpp"
#include "tools/validate/validation.hpp"

namespace tilemeter::validation {

/// {"schema", "command", "version", "device", "verdicts", "splits", "summaries", "ladder", "rows", ...};
/// tools/README.md names the rest.
Json document_of(const Arguments& arguments, const Validation& validation);

/// A figure as a JSON number; null where it is not finite.
Json number(double value);

}  // namespace tilemeter::validation
