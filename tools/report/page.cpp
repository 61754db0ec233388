#include "tools/report/page.hpp"

#include <algorithm>
#include <cassert>

#include "tools/report/assets.hpp"

namespace tilemeter {
namespace {

std::string_view asset(std::string_view name) {
  const auto& all = assets();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Asset& one) { return one.name == name; });
  assert(found != all.end());
  return found->text;
}

/// The page's own scripts, one after the other.
std::string own_scripts() {
  std::string scripts;
  for (const Asset& one : assets()) {
    if (one.name.ends_with(".js") && &one != &assets().back()) scripts.append(one.text).push_back('\n');
  }
  return scripts;
}

/// What stands in the page for the placeholder `{{name}}`.
std::string value_of(std::string_view name, const PageParts& parts) {
  if (name == "title") return escape_html(parts.title);
  if (name == "made") return escape_html(parts.made);
  if (name == "style") return std::string(asset("style.css"));
  if (name == "data") return embeddable_json(parts.json);
  if (name == "roofs") return embeddable_json(parts.roofs);
  if (name == "chart_library") return std::string(assets().back().text);
  assert(name == "script");
  return own_scripts();
}

}  // namespace

std::string escape_html(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string embeddable_json(std::string_view json) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (json.starts_with(byte_order_mark)) json.remove_prefix(byte_order_mark.size());
  std::string text;
  text.reserve(json.size());
  bool in_string = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_string && c == '\\') {
      text.append(json.substr(i++, 2));
    } else if (c == '<') {
      text += "\\u003c";
    } else if (in_string || std::string_view(" \t\r\n").find(c) == std::string_view::npos) {
      if (c == '"') in_string = !in_string;
      text += c;
    }
  }
  return text;
}

std::string assemble_page(const PageParts& parts) {
  std::string_view rest = asset("page.html");
  std::string page;
  for (std::size_t open = rest.find("{{"); open != std::string_view::npos; open = rest.find("{{")) {
    const std::size_t close = rest.find("}}", open);
    page.append(rest.substr(0, open)).append(value_of(rest.substr(open + 2, close - open - 2), parts));
    rest.remove_prefix(close + 2);
  }
  return page.append(rest);
}

}  // namespace tilemeter
