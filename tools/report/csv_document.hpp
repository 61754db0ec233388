// CSV of the program read back as a JSON document.
#pragma once

#include <string>
#include <string_view>

namespace tilemeter {

/// The document of the points in `csv` (RFC 4180): a heading of JSON paths joined by `_` (`traffic_bytes_read`), then
/// one row a point. Integers keep their digits; an empty cell is a missing key. Lists (the tiles on chip) and the
/// document's version are not in CSV: "command" is "sweep" and "version" is "unknown". Throws InputError that names
/// the line or column.
std::string document_of_csv(std::string_view csv);

}  // namespace tilemeter
