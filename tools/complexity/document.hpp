// The JSON of `tilemeter complexity`, and the tables that are made of it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/complexity/measure.hpp"
#include "tools/json.hpp"
#include "tools/tables/table.hpp"

namespace tilemeter::complexity {

/// {"schema", "command", "version", "arguments", "counted_by", "seed", "theorems", "fits", "distances", "break_even",
/// "crossovers"}. Sizes are in
/// elements; an open end of what is accepted is null.
Json document_of(const Arguments& arguments, const Answer& answer, const Inquiry& inquiry);

/// The same as tables: one a theorem, then own fits, distances, break-evens and crossovers, as far as there are any.
/// Refers to `document`, which must outlive them. Throws InputError that names `origin` when it is no such document.
std::vector<tables::MadeTable> tables_of(const Json& document, std::string_view origin);

/// The page of a document: it holds the document and its tables. Throws as `tables_of` does.
std::string page_of(const Json& document, std::string_view title, std::string_view origin);

/// What does not hold, one sentence each.
std::vector<std::string> failures_of(const Json& document);

/// The page of any command's document: `page_of` for one of this command, else `render_report`. Throws as these do.
std::string page_of_any(std::string_view json_text, std::string_view title, std::string_view origin);

}  // namespace tilemeter::complexity
