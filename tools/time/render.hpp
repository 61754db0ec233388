// Timed points in every format.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/json.hpp"
#include "tools/output/columns.hpp"
#include "tools/output/target.hpp"

namespace tilemeter {

/// The document of `command`: one point stands at its top, several in "points".
Json timed_document(std::string_view command, const Arguments& arguments, const Json& points);

/// Points of `command` (predict or simulate). CSV has a line a point of predict, and a line an SM of simulate. Tables
/// of one point show everything, those of several a row each.
std::string render_timed(Format format, std::string_view command, const Arguments& arguments, const Json& points);

/// The columns of the CSV of `predict`.
std::vector<Column> predict_columns();

}  // namespace tilemeter
