// A self-contained HTML page around a JSON document.
#pragma once

#include <string>
#include <string_view>

namespace tilemeter {

/// `text` with the characters that mean something in HTML text and attribute values written as entities.
std::string escape_html(std::string_view text);

/// Valid JSON without insignificant white space and with `<` written as \u003c, so that no string in it can end the
/// script element it stands in or open a comment. Numbers and strings keep their exact value.
std::string embeddable_json(std::string_view json);

/// What a page is made of: a document and the roofs of devices, both valid JSON, and a title.
struct PageParts {
  std::string_view json;
  std::string_view title;
  std::string_view made;          ///< the day, "2025-01-31"
  std::string_view roofs = "[]";  ///< a list, as `shipped_roofs` makes it
};
std::string assemble_page(const PageParts& parts);

}  // namespace tilemeter
