// The HTML report of counted points.
#pragma once

#include <string>
#include <string_view>

namespace tilemeter {

/// One self-contained HTML page (no network, no other file) with charts and a table of the points in `json_text`: a
/// JSON document of the program: a single point, an object with "points", or the results of `tune`. Integers stay
/// exact. `title` is plain text. Throws InputError that names the place in the document, what stands there and what is
/// accepted.
std::string render_report(std::string_view json_text, std::string_view title);

}  // namespace tilemeter
