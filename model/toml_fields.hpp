// The keys of one TOML table, read strictly.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/toml_tree.hpp"

namespace tilemeter {

/// A table whose keys are all known. Messages name the file and the path of the table in it ("mine.toml: tile[2]"); the
/// path of the whole file is empty. Refers to its node.
class TomlFields {
 public:
  /// Throws InputError: `node` is no table, or holds a key that is none of `known`.
  TomlFields(const TomlNode& node, std::string_view origin, std::string path,
             std::initializer_list<std::string_view> known);

  bool has(std::string_view key) const { return table_.find(key) != nullptr; }
  /// "mine.toml: tile[2].rows".
  std::string place_of(std::string_view key) const;

  // Each throws InputError that names the place: the key is missing, of another type, or outside the range.
  /// Text with something to read in it, of at most 200 printable bytes.
  std::string text(std::string_view key, std::string_view expected) const;
  /// A whole number of `low` to `high`.
  Count count(std::string_view key, Count low, Count high) const;
  std::optional<Count> optional_count(std::string_view key, Count low, Count high) const;
  /// true or false, or nothing when the key is absent.
  std::optional<bool> truth(std::string_view key) const;
  /// An array, or nothing when the key is absent.
  std::span<const TomlNode> array(std::string_view key, std::string_view expected) const;
  /// A table, or nullptr when the key is absent.
  const TomlNode* table(std::string_view key, std::string_view expected) const;

 private:
  const TomlNode& require(std::string_view key, std::string_view expected) const;

  const TomlNode& table_;
  std::string origin_;
  std::string path_;
};

/// Throws InputError: what `place` holds, and what is expected there.
[[noreturn]] void refuse_node(const std::string& place, const TomlNode& node, std::string_view expected);

/// `node` as text of at most `longest` printable bytes, or a whole number of `low` to `high`. Throws InputError that
/// names `place`.
std::string text_of(const TomlNode& node, const std::string& place, std::string_view expected,
                    std::size_t longest = 200);
Count count_of(const TomlNode& node, const std::string& place, Count low, Count high);

}  // namespace tilemeter
