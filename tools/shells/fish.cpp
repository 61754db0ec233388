#include "tools/shells/completions.hpp"
#include "tools/shells/words.hpp"
#include "tools/version.hpp"

namespace tilemeter {
namespace {

std::string fish_quoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "'";
}

constexpr std::string_view line_start = "complete -c tilemeter -n ";

std::string condition_of(const Command& command) {
  return fish_quoted("__fish_seen_subcommand_from " + std::string(command.name));
}

/// " -s o -l output".
std::string names_text(const OptionSpec& option) {
  std::string text;
  for (const std::string_view name : names_of(option)) {
    text += name.starts_with("--") ? " -l " + std::string(name.substr(2)) : " -s " + std::string(name.substr(1));
  }
  return text;
}

/// What completes a value: words, also as parts of a list with commas, and files unless they are none.
std::string values_text(const OptionSpec& option) {
  if (option.value.empty()) return " -f";
  const Completion values = values_of(option);
  std::string text = std::string(option.alone.empty() ? " -r" : "") + (values.files ? " -F" : " -f");
  if (!values.words.empty()) text += " -a " + fish_quoted("(__fish_append , " + blank_separated(values.words) + ")");
  return text;
}

std::string lines_of(const Command& command) {
  const std::string start = std::string(line_start) + condition_of(command);
  std::string text;
  for (const OptionSpec& option : command.options) {
    text += start + names_text(option) + values_text(option) + " -d " + fish_quoted(option.help) + "\n";
  }
  const Completion words = words_of(command);
  if (!words.words.empty()) {
    if (shows_names(command)) text += start + " -a show\n";
    text += start + (words.files ? " -F" : " -f") + " -a " + fish_quoted(blank_separated(words.words)) + "\n";
  } else if (words.files) {
    text += start + " -F\n";
  }
  return text;
}

}  // namespace

std::string fish_completions(std::span<const Command> commands) {
  std::string text = "# fish completion for tilemeter " + std::string(program_version) +
                     ", made by `tilemeter completions fish`\n\ncomplete -c tilemeter -f\n";
  for (const Command& command : commands) {
    text += std::string(line_start) + "__fish_use_subcommand -a " + std::string(command.name) + " -d " +
            fish_quoted(command.summary) + "\n";
  }
  text += std::string(line_start) + "__fish_use_subcommand -l version -d 'show the version'\n";
  text += "complete -c tilemeter -l help -s h -d 'show the options and examples'\n";
  for (const Command& command : commands) text += "\n" + lines_of(command);
  return text;
}

}  // namespace tilemeter
