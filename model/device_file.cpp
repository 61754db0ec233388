#include "model/device_file.hpp"

#include <algorithm>
#include <array>

#include "model/quantity.hpp"
#include "model/toml_fields.hpp"
#include "model/toml_tree.hpp"

namespace tilemeter {
namespace {

constexpr const char* datum_form = "expected a table { value = ..., source = \"...\" }";
constexpr std::string_view base_key = "base";

struct ProvenanceField {
  std::string_view name;
  std::string Provenance::*member;
  const char* expected;
  std::size_t longest = 200;
};
constexpr std::array<ProvenanceField, 4> provenance_fields = {{
    {"interval", &Provenance::interval, "a share of the value, such as \"+- 0.3 %\""},
    {"clock", &Provenance::clock, "a frequency, such as \"1.755 GHz\""},
    {"date", &Provenance::date, "a time in UTC, such as \"2025-01-31T12:00:00Z\""},
    {"command", &Provenance::command, "a command line", longest_command},
}};

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

void read_provenance(const std::string& name, const TomlNode& node, const std::string& place, Provenance& provenance) {
  for (const ProvenanceField& field : provenance_fields) {
    if (field.name == name) {
      provenance.*field.member = text_of(node, place + "." + name, field.expected, field.longest);
      return;
    }
  }
  throw InputError(place + ": unknown key " + in_quotes(name) + " beside value and source; " + datum_form +
                   ", and at most interval, clock, date and command");
}

RawFact read_datum(const TomlNode& table, const std::string& key, const std::string& origin) {
  const std::string place = origin + ": " + key;
  RawFact fact;
  for (const auto& [field, node] : table.entries) {
    if (field == "value" || field == "source") continue;
    read_provenance(field, node, place, fact.provenance);
  }
  const TomlNode* value = table.find("value");
  if (value == nullptr) throw InputError(place + ".value is missing; " + datum_form);
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
    if (prefix.empty() && name == base_key) continue;
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

std::optional<std::string> base_of(std::string_view toml, std::string_view origin) {
  const TomlNode tree = parse_toml(toml, origin);
  const TomlNode* base = tree.find(base_key);
  if (base == nullptr) return std::nullopt;
  return text_of(*base, std::string(origin) + ": base", "the name of a shipped device");
}

std::vector<RawFact> read_facts(std::string_view toml, std::string_view origin) {
  std::vector<RawFact> facts;
  flatten(parse_toml(toml, origin), "", std::string(origin), facts);
  return facts;
}

std::string read_device_file(const std::string& path, std::string_view asked_by) {
  return read_toml_file(asked_by, path);
}

}  // namespace tilemeter
