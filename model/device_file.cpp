#include "model/device_file.hpp"

#include <algorithm>

#include "model/quantity.hpp"
#include "model/toml_tree.hpp"

namespace tilemeter {
namespace {

constexpr const char* datum_form = "expected a table { value = ..., source = \"...\" }";

void read_value(const TomlNode& node, RawFact& fact) {
  if (node.kind == TomlNode::Kind::text) {
    fact.value = node.text;
    fact.spelling = Spelling::text;
  } else if (node.kind == TomlNode::Kind::whole_number) {
    fact.value = std::to_string(node.number);
    fact.spelling = Spelling::whole_number;
  } else {
    fact.value = type_of(node);
    fact.spelling = Spelling::other;
  }
}

std::string read_source(const TomlNode* node, const std::string& place) {
  if (node == nullptr) {
    throw InputError(place + ".source is missing; expected text that names the document and its date");
  }
  const bool is_text = node->kind == TomlNode::Kind::text;
  if (!is_text || node->text.find_first_not_of(" \t\r\n") == std::string::npos) {
    throw InputError(place + ".source: found " + (is_text ? "empty text" : type_of(*node)) +
                     "; expected text that names the document and its date");
  }
  return node->text;
}

RawFact read_datum(const TomlNode& table, const std::string& key, const std::string& origin) {
  const std::string place = origin + ": " + key;
  for (const auto& [field, node] : table.entries) {
    if (field == "value" || field == "source") continue;
    throw InputError(place + ": unknown key " + in_quotes(field) + " beside value and source; " + datum_form);
  }
  const TomlNode* value = table.find("value");
  if (value == nullptr) throw InputError(place + ".value is missing; " + datum_form);
  RawFact fact;
  fact.key = key;
  fact.source = read_source(table.find("source"), place);
  read_value(*value, fact);
  return fact;
}

/// Whether keys of the schema lie below `table`, so that it may be empty.
bool is_section(const std::string& table) {
  const auto names = key_names();
  return std::any_of(names.begin(), names.end(),
                     [&](std::string_view name) { return name.rfind(table + ".", 0) == 0; });
}

void flatten(const TomlNode& table, const std::string& prefix, const std::string& origin, std::vector<RawFact>& facts) {
  for (const auto& [name, child] : table.entries) {
    const std::string key = (prefix.empty() ? "" : prefix + ".") + name;
    const bool is_table = child.kind == TomlNode::Kind::table;
    if (!is_table || (child.entries.empty() && !is_section(key))) {
      throw InputError(origin + ": " + in_quotes(key) + ": found " + (is_table ? "an empty table" : type_of(child)) +
                       "; " + datum_form);
    }
    if (child.find("value") != nullptr || child.find("source") != nullptr) {
      facts.push_back(read_datum(child, key, origin));
    } else {
      flatten(child, key, origin, facts);
    }
  }
}

}  // namespace

std::vector<RawFact> read_facts(std::string_view toml, std::string_view origin) {
  std::vector<RawFact> facts;
  flatten(parse_toml(toml, origin), "", std::string(origin), facts);
  return facts;
}

std::string read_device_file(const std::string& path) { return read_toml_file("--device", path); }

}  // namespace tilemeter
