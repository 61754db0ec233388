#include "model/toml_tree.hpp"

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

TomlNode plain(const toml::node& node) {
  TomlNode copy;
  if (const auto* table = node.as_table()) {
    for (const auto& [key, value] : *table) copy.entries.push_back({std::string(key.str()), plain(value)});
  } else if (const auto* array = node.as_array()) {
    copy.kind = TomlNode::Kind::array;
    for (const toml::node& item : *array) copy.items.push_back(plain(item));
  } else if (const auto* text = node.as_string()) {
    copy.kind = TomlNode::Kind::text;
    copy.text = text->get();
  } else if (const auto* number = node.as_integer()) {
    copy.kind = TomlNode::Kind::whole_number;
    copy.number = number->get();
  } else if (node.is_floating_point()) {
    copy.kind = TomlNode::Kind::fraction;
  } else if (const auto* truth = node.as_boolean()) {
    copy.kind = TomlNode::Kind::boolean;
    copy.number = truth->get() ? 1 : 0;
  } else {
    copy.kind = TomlNode::Kind::date;
  }
  return copy;
}

/// The text of a TOML file, character by character: what each stands in.
class QuoteScanner {
 public:
  /// Whether `c`, the next character, stands in quotes (on one line) or in a comment.
  bool is_inside(char c) {
    ++column_;
    if (c == '\n') {
      *this = {};
      return false;
    }
    const bool inside = inside_ != 0;
    if (inside_ == 0) {
      leave_blanks(c);
    } else if (inside_ != '#') {
      if (c == inside_ && !escaped_) close();
      escaped_ = inside_ == '"' && c == '\\' && !escaped_;
    }
    return inside;
  }

 private:
  /// Quotes open a text where a key or a value may begin; elsewhere, as in 8'c', they are part of what is no TOML.
  void leave_blanks(char c) {
    constexpr std::string_view before_a_text = "=,[{.";
    const bool may_begin = last_ == 0 || before_a_text.find(last_) != std::string_view::npos;
    const bool third_in_a_row = c == last_ && column_ == opened_ + 2;
    if (c == '#' || ((c == '"' || c == '\'') && (may_begin || third_in_a_row))) {
      inside_ = c;
      opened_ = column_;
    } else if (c != ' ' && c != '\t' && c != '\r') {
      last_ = c;
    }
  }
  void close() {
    last_ = inside_;
    inside_ = 0;
  }

  std::size_t column_ = 0;
  std::size_t opened_ = 0;  ///< the column of the last opening quote
  char inside_ = 0;         ///< the quote or '#' that characters stand behind
  char last_ = 0;           ///< the last character of the line that is none of these and no blank
  bool escaped_ = false;
};

/// Refuses characters outside ASCII that stand neither in quotes (on one line) nor in a comment: no key needs them, and
/// toml++ 3.3 does not define what it does with some of them.
void require_ascii_keys(std::string_view toml, std::string_view origin) {
  QuoteScanner scanner;
  std::size_t line = 1;
  std::size_t column = 0;
  for (const char c : toml) {
    ++column;
    if (!scanner.is_inside(c) && static_cast<unsigned char>(c) >= 0x80) {
      throw InputError(std::string(origin) + ":" + std::to_string(line) + ":" + std::to_string(column) +
                       ": not a TOML file: found a character outside ASCII; expected such only in quotes and comments");
    }
    if (c == '\n') {
      ++line;
      column = 0;
    }
  }
}

}  // namespace

const TomlNode* TomlNode::find(std::string_view key) const {
  const auto entry = std::find_if(entries.begin(), entries.end(), [&](const TomlEntry& e) { return e.key == key; });
  return entry == entries.end() ? nullptr : &entry->value;
}

std::string type_of(const TomlNode& node) {
  switch (node.kind) {
    case TomlNode::Kind::table:
      return "a table";
    case TomlNode::Kind::array:
      return "an array";
    case TomlNode::Kind::text:
      return "text";
    case TomlNode::Kind::whole_number:
      return "a whole number";
    case TomlNode::Kind::fraction:
      return "a number with a fraction";
    case TomlNode::Kind::boolean:
      return "true or false";
    case TomlNode::Kind::date:
      return "a date or time";
  }
  return "";
}

TomlNode parse_toml(std::string_view text, std::string_view origin) {
  require_ascii_keys(text, origin);
  try {
    return plain(toml::parse(text, origin));
  } catch (const toml::parse_error& error) {
    const toml::source_position at = error.source().begin;
    throw InputError(std::string(origin) + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) +
                     ": not a TOML file: " + std::string(error.description()));
  }
}

std::string read_toml_file(std::string_view option, const std::string& path) {
  constexpr std::size_t largest = 1 << 20;
  const auto refuse = [&](const std::string& found) {
    throw InputError(std::string(option) + " " + in_quotes(path) + ": " + found +
                     "; expected a readable TOML file of at most 1 MiB");
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
