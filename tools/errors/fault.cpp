#include "tools/errors/fault.hpp"

#include <algorithm>
#include <array>

#include "tools/errors/accepted.hpp"
#include "tools/options/text.hpp"

namespace tilemeter {
namespace {

constexpr std::string_view option_characters = "abcdefghijklmnopqrstuvwxyz0123456789-";
constexpr std::string_view key_ends = " :\"";

/// Takes `start` off the front of `text`, where it stands there.
bool take(std::string_view& text, std::string_view start) {
  if (!text.starts_with(start)) return false;
  text.remove_prefix(start.size());
  return true;
}

std::string_view take_until(std::string_view& text, std::string_view ends) {
  const std::string_view taken = text.substr(0, text.find_first_of(ends));
  text.remove_prefix(taken.size());
  return taken;
}

/// Text between quotes, in which a backslash keeps the next character.
std::optional<std::string> take_quoted(std::string_view& text) {
  if (!text.starts_with('"')) return std::nullopt;
  std::string inside;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '"') {
      text.remove_prefix(i + 1);
      return inside;
    }
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    inside += text[i];
  }
  return std::nullopt;
}

std::optional<std::string> take_option(std::string_view& text) {
  if (!text.starts_with('-')) return std::nullopt;
  const std::string_view name = text.substr(0, text.find_first_not_of(option_characters));
  if (name.find_first_not_of('-') == std::string_view::npos) return std::nullopt;
  text.remove_prefix(name.size());
  return std::string(name);
}

/// The name that messages use for an option of the command line: "-o" for "--output".
std::string name_in_messages(const Command* command, const std::string& word) {
  if (command == nullptr) return word;
  for (const OptionSpec& spec : command->options) {
    const auto names = split(spec.names, ',');
    if (std::find(names.begin(), names.end(), word) != names.end()) return std::string(spec.name());
  }
  return word;
}

/// Every value that the command line gives to an option, longest first: the whole and the items of a list.
std::vector<std::string> given_values(const CommandWords& given, const std::string& option) {
  std::vector<std::string> values;
  for (std::size_t i = 0; i < given.words.size(); ++i) {
    const std::string& word = given.words[i];
    if (!word.starts_with('-')) continue;
    const std::size_t equals = word.find('=');
    if (name_in_messages(given.command, word.substr(0, equals)) != option) continue;
    const bool follows = equals == std::string::npos && i + 1 < given.words.size();
    if (equals == std::string::npos && !follows) continue;
    const std::string value = follows ? given.words[i + 1] : word.substr(equals + 1);
    values.push_back(value);
    for (const std::string_view item : split(value, ',')) values.emplace_back(item);
  }
  std::stable_sort(values.begin(), values.end(), [](const auto& a, const auto& b) { return a.size() > b.size(); });
  return values;
}

bool at_a_boundary(std::string_view rest) { return rest.empty() || !std::isalnum(static_cast<unsigned char>(rest[0])); }

/// A value of the command line that `text` starts with; messages cut long ones short and end them in "...".
std::optional<std::string> take_given(std::string_view& text, const std::vector<std::string>& values) {
  constexpr std::string_view cut = "...";
  for (const std::string& value : values) {
    if (!value.empty() && text.starts_with(value) && at_a_boundary(text.substr(value.size()))) {
      text.remove_prefix(value.size());
      return value;
    }
    const std::size_t end = text.find(cut);
    if (end != std::string_view::npos && end > 0 && value.size() > end && value.starts_with(text.substr(0, end))) {
      text.remove_prefix(end + cut.size());
      return value;
    }
  }
  return std::nullopt;
}

/// A key and what was found at it: `KEY "x": expected`, `KEY: found x;`, `"KEY": found`, `unknown key "KEY"`.
void read_key(std::string_view text, Fault& fault) {
  if (take(text, "unknown key ")) {
    fault.key = take_quoted(text);
    return;
  }
  auto key = text.starts_with('"') ? take_quoted(text) : std::optional(std::string(take_until(text, key_ends)));
  if (!key || key->empty()) return;
  if (take(text, " is missing")) {
    fault.key = key;
  } else if (take(text, " \"")) {
    fault.key = key;
    fault.value = std::string(take_until(text, "\""));
  } else if (take(text, ": found ")) {
    fault.key = key;
    take(text, "the text ");
    fault.value = text.starts_with('"') ? take_quoted(text) : std::optional(std::string(take_until(text, ";")));
  }
}

void read_option(std::string_view text, const CommandWords& given, Fault& fault) {
  if (take(text, "=")) {
    fault.value = std::string(take_until(text, ":"));
    return;
  }
  if (take(text, ": ")) return read_key(text, fault);
  if (!take(text, " ")) return;
  fault.value = text.starts_with('"') ? take_quoted(text) : take_given(text, given_values(given, *fault.option));
  if (take(text, ": unknown key ")) fault.key = take_quoted(text);
}

/// A file of the command line, or one below a folder of it, that `text` starts with.
std::optional<std::string> take_file(std::string_view& text, const CommandWords& given) {
  const std::string_view start = text.substr(0, text.find(": "));
  if (start.size() == text.size()) return std::nullopt;
  for (const std::string& word : given.words) {
    const std::size_t equals = word.starts_with("--") ? word.find('=') : std::string::npos;
    const std::string_view value = std::string_view(word).substr(equals == std::string::npos ? 0 : equals + 1);
    for (const std::string_view path : split(value, ',')) {
      if (path.empty() || (start != path && !start.starts_with(std::string(path) + "/"))) continue;
      text.remove_prefix(start.size() + 2);
      return std::string(start);
    }
  }
  return std::nullopt;
}

/// The first option of the command line that the message names with its value, or alone.
void find_named_option(std::string_view message, const CommandWords& given, Fault& fault) {
  for (std::size_t at = message.find(" -"); at != std::string_view::npos; at = message.find(" -", at + 1)) {
    std::string_view text = message.substr(at + 1);
    const auto option = take_option(text);
    if (!option) continue;
    fault.option = option;
    if (take(text, " ")) fault.value = take_given(text, given_values(given, *option));
    return;
  }
}

/// A word of the command line after what the message starts with: "tables NAME: ...", "unknown command NAME".
bool read_word(std::string_view text, const CommandWords& given, Fault& fault) {
  const std::string name = given.command == nullptr ? "unknown command" : std::string(given.command->name);
  if (!take(text, name + " ") && !take(text, "unexpected word ")) return false;
  if (take(text, "show ") && text.starts_with('"')) {
    fault.value = take_quoted(text);
    return true;
  }
  fault.value = take_given(text, given.words);
  return fault.value.has_value();
}

}  // namespace

Fault fault_of(std::string_view message, const CommandWords& given) {
  Fault fault;
  const Accepted accepted = accepted_in(message);
  fault.accepted = accepted.words;
  fault.choices = accepted.choices;
  fault.suggestion = suggestion_in(message);
  std::string_view text = message;
  take(text, "unknown option ");
  if ((fault.option = take_option(text))) {
    read_option(text, given, fault);
  } else if ((fault.file = take_file(text, given))) {
    read_key(text, fault);
  } else if (!read_word(text, given, fault)) {
    find_named_option(message, given, fault);
  }
  return fault;
}

}  // namespace tilemeter
