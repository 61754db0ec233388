#include "tools/shells/words.hpp"

#include "tools/options/text.hpp"

namespace tilemeter {
namespace {

/// Help texts call files FILE, FILE.toml or PATH.
bool names_files(std::string_view text) {
  return text.find("FILE") != std::string_view::npos || text.find("PATH") != std::string_view::npos;
}

std::vector<std::string_view> known_to(KnownWords known) {
  return known == nullptr ? std::vector<std::string_view>() : known();
}

}  // namespace

Completion values_of(const OptionSpec& option) {
  return {.words = known_to(option.known), .files = names_files(option.value)};
}

Completion words_of(const Command& command) {
  return {.words = known_to(command.known), .files = names_files(command.words)};
}

bool shows_names(const Command& command) { return command.words.starts_with("[show "); }

std::vector<std::string_view> names_of(const OptionSpec& option) { return split(option.names, ','); }

std::vector<std::string_view> option_names_of(const Command& command) {
  std::vector<std::string_view> names;
  for (const OptionSpec& option : command.options) {
    for (const std::string_view name : names_of(option)) names.push_back(name);
  }
  names.push_back("--help");
  return names;
}

std::string blank_separated(const std::vector<std::string_view>& words) { return join(words, " "); }

}  // namespace tilemeter
