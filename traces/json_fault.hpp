// What is wrong with text that is no JSON, without the words of the library that reads it.
#pragma once

#include <string>
#include <string_view>

namespace tilemeter {

/// "line 1, column 14: unexpected end of input", of the message of a parser's error: "[json.exception.parse_error.101]
/// parse error at line 1, column 14: syntax error while parsing value - unexpected end of input; expected ...". A
/// message of another form is returned without what stands in brackets.
std::string json_fault(std::string_view message);

}  // namespace tilemeter
