// TOML text as a plain tree, with errors that name the file and the place.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/units.hpp"

namespace tilemeter {

struct TomlEntry;

/// One value of a TOML file.
struct TomlNode {
  enum class Kind { table, array, text, whole_number, fraction, boolean, date };

  Kind kind = Kind::table;
  std::string text{};              ///< of Kind::text
  Count number = 0;                ///< of Kind::whole_number; of Kind::boolean 1 for true
  std::vector<TomlEntry> entries;  ///< of Kind::table, by key in ascending order
  std::vector<TomlNode> items{};   ///< of Kind::array, in the order of the file

  /// The value of `key` in a table, or nullptr.
  const TomlNode* find(std::string_view key) const;
};

struct TomlEntry {
  std::string key;
  TomlNode value;
};

/// What a value is, for messages: "a table", "text", "a whole number".
std::string type_of(const TomlNode& node);

/// The table of a whole file; `origin` names it in messages. Throws InputError with line and column for text that is no
/// TOML, and for characters outside ASCII that stand neither in quotes nor in a comment.
TomlNode parse_toml(std::string_view text, std::string_view origin);

/// The text of a file of at most 1 MiB that `option` named. Throws InputError: cannot be read, a directory, too large.
std::string read_toml_file(std::string_view option, const std::string& path);

}  // namespace tilemeter
