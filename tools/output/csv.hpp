// Points as comma-separated values (RFC 4180).
#pragma once

#include <string>
#include <string_view>

#include "tools/json.hpp"

namespace tilemeter {

std::string csv_header();
std::string csv_row(const Json& point);

/// The points of a CSV text with a header line; known columns go back to their JSON paths, others stay as they are.
/// Throws InputError that names `origin` and the line when a row has another number of cells than the header, or a
/// column lies in another one: "problem" and "problem_batch".
Json points_of_csv(std::string_view text, std::string_view origin);

}  // namespace tilemeter
