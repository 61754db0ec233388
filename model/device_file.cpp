#include "model/device_file.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

// The library that some distributions build from toml++ is not needed for one file that parses. Its version 3.3 asserts
// on text such as "[)", of which it reports an error where assertions are off.
#ifndef NDEBUG
#define NDEBUG
#endif
#define TOML_HEADER_ONLY 1
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

#include "model/quantity.hpp"

namespace tilemeter {
namespace {

constexpr const char* datum_form = "expected a table { value = ..., source = \"...\" }";

std::string type_of(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "an array";
    case toml::node_type::string:
      return "text";
    case toml::node_type::integer:
      return "a whole number";
    case toml::node_type::floating_point:
      return "a number with a fraction";
    case toml::node_type::boolean:
      return "true or false";
    default:
      return "a date or time";
  }
}

void read_value(const toml::node& node, RawFact& fact) {
  if (const auto* text = node.as_string()) {
    fact.value = text->get();
    fact.spelling = Spelling::text;
  } else if (const auto* number = node.as_integer()) {
    fact.value = std::to_string(number->get());
    fact.spelling = Spelling::whole_number;
  } else {
    fact.value = type_of(node);
    fact.spelling = Spelling::other;
  }
}

std::string read_source(const toml::node* node, const std::string& place) {
  if (node == nullptr) {
    throw InputError(place + ".source is missing; expected text that names the document and its date");
  }
  const auto* text = node->as_string();
  if (text == nullptr || text->get().find_first_not_of(" \t\r\n") == std::string::npos) {
    throw InputError(place + ".source: found " + (text == nullptr ? type_of(*node) : "empty text") +
                     "; expected text that names the document and its date");
  }
  return text->get();
}

RawFact read_datum(const toml::table& table, const std::string& key, const std::string& origin) {
  const std::string place = origin + ": " + key;
  for (const auto& [field, node] : table) {
    if (field.str() == "value" || field.str() == "source") continue;
    throw InputError(place + ": unknown key " + in_quotes(field.str()) + " beside value and source; " + datum_form);
  }
  const toml::node* value = table.get("value");
  if (value == nullptr) throw InputError(place + ".value is missing; " + datum_form);
  RawFact fact;
  fact.key = key;
  fact.source = read_source(table.get("source"), place);
  read_value(*value, fact);
  return fact;
}

/// Whether keys of the schema lie below `table`, so that it may be empty.
bool is_section(const std::string& table) {
  const auto names = key_names();
  return std::any_of(names.begin(), names.end(),
                     [&](std::string_view name) { return name.rfind(table + ".", 0) == 0; });
}

void flatten(const toml::table& table, const std::string& prefix, const std::string& origin,
             std::vector<RawFact>& facts) {
  for (const auto& [name, node] : table) {
    const std::string key = (prefix.empty() ? "" : prefix + ".") + std::string(name.str());
    const toml::table* child = node.as_table();
    if (child == nullptr || (child->empty() && !is_section(key))) {
      throw InputError(origin + ": " + in_quotes(key) + ": found " +
                       (child == nullptr ? type_of(node) : "an empty table") + "; " + datum_form);
    }
    if (child->contains("value") || child->contains("source")) {
      facts.push_back(read_datum(*child, key, origin));
    } else {
      flatten(*child, key, origin, facts);
    }
  }
}

/// Refuses characters outside ASCII that stand neither in quotes (on one line) nor in a comment: no key needs them, and
/// toml++ 3.3 does not define what it does with some of them.
void require_ascii_keys(std::string_view toml, std::string_view origin) {
  std::size_t line = 1;
  std::size_t column = 0;
  char inside = 0;  // the quote or '#' that the character stands behind
  bool escaped = false;
  for (const char c : toml) {
    ++column;
    if (c == '\n') {
      ++line;
      column = 0;
      inside = 0;
      escaped = false;
    } else if (inside == 0) {
      if (c == '"' || c == '\'' || c == '#') inside = c;
      if (static_cast<unsigned char>(c) >= 0x80) {
        throw InputError(
            std::string(origin) + ":" + std::to_string(line) + ":" + std::to_string(column) +
            ": not a TOML file: found a character outside ASCII; expected such only in quotes and comments");
      }
    } else if (inside != '#') {
      if (c == inside && !escaped) inside = 0;
      escaped = inside == '"' && c == '\\' && !escaped;
    }
  }
}

}  // namespace

std::vector<RawFact> read_facts(std::string_view toml, std::string_view origin) {
  require_ascii_keys(toml, origin);
  try {
    const toml::table root = toml::parse(toml, origin);
    std::vector<RawFact> facts;
    flatten(root, "", std::string(origin), facts);
    return facts;
  } catch (const toml::parse_error& error) {
    const toml::source_position at = error.source().begin;
    throw InputError(std::string(origin) + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) +
                     ": not a TOML file: " + std::string(error.description()));
  }
}

std::string read_device_file(const std::string& path) {
  constexpr std::size_t largest = 1 << 20;
  const auto refuse = [&](const std::string& found) {
    throw InputError("--device " + in_quotes(path) + ": " + found + "; expected a readable TOML file of at most 1 MiB");
  };
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) refuse("is a directory");
  if (!std::filesystem::exists(path, ignored)) refuse("does not exist");
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse("cannot be opened");
  std::string text(largest + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) refuse("cannot be read");
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > largest) refuse("is too large");
  return text;
}

}  // namespace tilemeter
