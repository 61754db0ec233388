#include "tools/shells/completions.hpp"
#include "tools/shells/words.hpp"
#include "tools/version.hpp"

namespace tilemeter {
namespace {

/// `text` between single quotes, with a backslash before each of `special`.
std::string zsh_quoted(std::string_view text, std::string_view special) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
      continue;
    }
    if (special.find(c) != std::string_view::npos) quoted += '\\';
    quoted += c;
  }
  return quoted + "'";
}

constexpr std::string_view in_specs = "[]:\\";

/// The action of _arguments that completes a value or word: words (also in a list with commas), files, or both.
std::string action(const Completion& completion) {
  const std::string words = blank_separated(completion.words);
  if (completion.words.empty()) return completion.files ? "_files" : " ";
  std::string escaped;
  for (const char c : words) escaped += c == ':' ? std::string("\\:") : std::string(1, c);
  const std::string list = "_sequence compadd - " + escaped;
  return completion.files ? "{ _sequence compadd - " + escaped + "; _files }" : list;
}

std::string option_specs(const OptionSpec& option) {
  std::string specs;
  const bool often = option.repeat == Repeat::often;
  const auto names = names_of(option);
  for (const std::string_view name : names) {
    std::string spec = often ? "*" : names.size() > 1 ? "(" + blank_separated(names) + ")" : "";
    spec += std::string(name);
    std::string text = zsh_quoted(spec, "");
    text += zsh_quoted("[" + std::string(), "") + zsh_quoted(option.help, in_specs) + "']'";
    if (!option.value.empty()) {
      const std::string separator = option.alone.empty() ? ":" : "::";
      text += zsh_quoted(separator, "") + zsh_quoted(option.value, in_specs) +
              zsh_quoted(":" + action(values_of(option)), "");
    }
    specs += "        " + text + " \\\n";
  }
  return specs;
}

std::string word_specs(const Command& command) {
  const Completion words = words_of(command);
  if (words.empty()) return "";
  const std::string text = "        ";
  if (!shows_names(command)) return text + zsh_quoted("*:word:" + action(words), "") + " \\\n";
  return text + "'1:word:(show)' \\\n" + text + zsh_quoted("2:name:" + action(words), "") + " \\\n";
}

std::string branch_of(const Command& command) {
  std::string text = "    " + std::string(command.name) + ")\n      _arguments \\\n";
  for (const OptionSpec& option : command.options) text += option_specs(option);
  return text + word_specs(command) + "        '--help[show the options and examples]' ;;\n";
}

}  // namespace

std::string zsh_completions(std::span<const Command> commands) {
  std::string text = "#compdef tilemeter\n# zsh completion for tilemeter " + std::string(program_version) +
                     ", made by `tilemeter completions zsh`\n\n_tilemeter() {\n  local -a commands=(\n";
  for (const Command& command : commands) {
    text += "    " + zsh_quoted(command.name, "") + "':'" + zsh_quoted(command.summary, "\\") + "\n";
  }
  text +=
      "  )\n  if (( CURRENT == 2 )); then\n    _describe -t commands command commands\n    return\n  fi\n"
      "  local command=$words[2]\n  shift words\n  (( CURRENT-- ))\n  case $command in\n";
  for (const Command& command : commands) text += branch_of(command);
  return text +
         "  esac\n}\n\nif [[ $funcstack[1] == _tilemeter ]]; then\n  _tilemeter \"$@\"\nelse\n  compdef _tilemeter "
         "tilemeter\nfi\n";
}

}  // namespace tilemeter
