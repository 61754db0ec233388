// The HTML report of a result of any command.
#pragma once

#include <string>
#include <string_view>

namespace tilemeter {

/// One self-contained HTML page (no network, no other file) with charts and tables of `json_text`: a JSON document of
/// the program, or the trace that `simulate` wrote. A document of `complexity` needs its "tables" too. Integers stay
/// exact. `title` is plain text. Throws InputError that names the place in the document, what stands there and what is
/// accepted, after `origin`.
std::string render_report(std::string_view json_text, std::string_view title, std::string_view origin = "report input");

}  // namespace tilemeter
