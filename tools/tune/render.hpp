// Results of `tune` in every format.
#pragma once

#include <string>
#include <vector>

#include "tools/json.hpp"
#include "tools/output/target.hpp"

namespace tilemeter {

/// What a table for people lists of the candidates that were rejected.
enum class Rejected {
  smallest,  ///< those that no smaller rejected one explains
  all
};

/// `document` is tune_document's. Tables and md show what matters of the front (about a dozen tilings); csv, json and
/// html hold everything. CSV has one row a tiling, "list" saying which: best, front, candidate.
std::string render_tune(Format format, const Json& document, Rejected rejected);

}  // namespace tilemeter
