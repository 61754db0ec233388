#include "model/toml_fields.hpp"

#include <algorithm>

#include "model/quantity.hpp"
#include "model/suggest.hpp"

namespace tilemeter {

void refuse_node(const std::string& place, const TomlNode& node, std::string_view expected) {
  std::string found = type_of(node);
  if (node.kind == TomlNode::Kind::text) found = "the text " + in_quotes(node.text);
  if (node.kind == TomlNode::Kind::whole_number) found = std::to_string(node.number);
  throw InputError(place + ": found " + found + "; expected " + std::string(expected));
}

std::string text_of(const TomlNode& node, const std::string& place, std::string_view expected, std::size_t longest) {
  if (node.kind != TomlNode::Kind::text) refuse_node(place, node, expected);
  const std::string& text = node.text;
  const bool printable =
      std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f; });
  if (!printable || text.size() > longest || text.find_first_not_of(' ') == std::string::npos) {
    refuse_node(place, node, std::string(expected) + ", of 1 to " + std::to_string(longest) + " printable bytes");
  }
  return text;
}

Count count_of(const TomlNode& node, const std::string& place, Count low, Count high) {
  const std::string expected = "a whole number of " + std::to_string(low) + " to " + std::to_string(high);
  if (node.kind != TomlNode::Kind::whole_number || node.number < low || node.number > high) {
    refuse_node(place, node, expected);
  }
  return node.number;
}

TomlFields::TomlFields(const TomlNode& node, std::string_view origin, std::string path,
                       std::initializer_list<std::string_view> known)
    : table_(node), origin_(origin), path_(std::move(path)) {
  const std::vector<std::string_view> names(known);
  const std::string place = path_.empty() ? origin_ : origin_ + ": " + path_;
  if (node.kind != TomlNode::Kind::table) refuse_node(place, node, "a table with the keys " + joined(names));
  for (const TomlEntry& entry : node.entries) {
    if (std::find(names.begin(), names.end(), entry.key) != names.end()) continue;
    throw InputError(place + ": unknown key " + in_quotes(entry.key) + suggestion(entry.key, names) +
                     "; the keys are: " + joined(names));
  }
}

std::string TomlFields::place_of(std::string_view key) const {
  return origin_ + ": " + (path_.empty() ? "" : path_ + ".") + std::string(key);
}

const TomlNode& TomlFields::require(std::string_view key, std::string_view expected) const {
  const TomlNode* node = table_.find(key);
  if (node == nullptr) throw InputError(place_of(key) + " is missing; expected " + std::string(expected));
  return *node;
}

std::string TomlFields::text(std::string_view key, std::string_view expected) const {
  return text_of(require(key, expected), place_of(key), expected);
}

Count TomlFields::count(std::string_view key, Count low, Count high) const {
  return count_of(require(key, "a whole number"), place_of(key), low, high);
}

std::optional<Count> TomlFields::optional_count(std::string_view key, Count low, Count high) const {
  return has(key) ? std::optional(count(key, low, high)) : std::nullopt;
}

std::optional<bool> TomlFields::truth(std::string_view key) const {
  const TomlNode* node = table_.find(key);
  if (node == nullptr) return std::nullopt;
  if (node->kind != TomlNode::Kind::boolean) refuse_node(place_of(key), *node, "true or false");
  return node->number == 1;
}

std::span<const TomlNode> TomlFields::array(std::string_view key, std::string_view expected) const {
  const TomlNode* node = table_.find(key);
  if (node == nullptr) return {};
  if (node->kind != TomlNode::Kind::array) refuse_node(place_of(key), *node, expected);
  return node->items;
}

const TomlNode* TomlFields::table(std::string_view key, std::string_view expected) const {
  const TomlNode* node = table_.find(key);
  if (node != nullptr && node->kind != TomlNode::Kind::table) refuse_node(place_of(key), *node, expected);
  return node;
}

}  // namespace tilemeter
