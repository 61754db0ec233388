#include <map>

#include "tools/shells/completions.hpp"
#include "tools/shells/words.hpp"
#include "tools/version.hpp"

namespace tilemeter {
namespace {

/// Bash splits words at '=' and ':', which are put together again. Of a list only the part after the last comma is
/// completed; a word that ends in '=' or ':' goes on.
constexpr std::string_view helpers = R"(
_tilemeter_offer() {
  local list=
  case $current in *,*) list=${current%,*}, ;; esac
  COMPREPLY=($(compgen -P "$list" -W "$1" -- "${current#"$list"}"))
  case ${#COMPREPLY[@]}:${COMPREPLY[0]} in 1:*= | 1:*:) compopt -o nospace 2>/dev/null ;; esac
}

_tilemeter_offer_files() {
  local file
  compopt -o filenames 2>/dev/null
  while IFS= read -r file; do COMPREPLY+=("$file"); done < <(compgen -f -- "$current")
}
)";

constexpr std::string_view start_of_function = R"(
_tilemeter() {
  local current=${COMP_WORDS[COMP_CWORD]} before= command=${COMP_WORDS[1]}
  COMPREPLY=()
  if ((COMP_CWORD > 1)); then before=${COMP_WORDS[COMP_CWORD-1]}; fi
  if [[ $current == = ]]; then
    current=
  elif [[ $before == = ]]; then
    before=${COMP_WORDS[COMP_CWORD-2]}
  fi
)";

/// The places of a command line with the same completion, as a pattern of case.
std::string branch(const std::string& patterns, const Completion& completion) {
  std::string line = "    " + patterns + ")\n";
  if (!completion.words.empty()) line += "      _tilemeter_offer '" + blank_separated(completion.words) + "'\n";
  if (completion.files) line += "      _tilemeter_offer_files\n";
  return line + "      return ;;\n";
}

/// "'count --dtype' | 'sweep --dtype'" for each different completion of values.
std::string value_branches(std::span<const Command> commands) {
  std::vector<std::pair<Completion, std::string>> branches;
  const auto patterns_of = [&](const Completion& completion) -> std::string& {
    for (auto& [known, patterns] : branches) {
      if (known == completion) return patterns;
    }
    return branches.emplace_back(completion, "").second;
  };
  for (const Command& command : commands) {
    for (const OptionSpec& option : command.options) {
      if (option.value.empty()) continue;
      std::string& patterns = patterns_of(values_of(option));
      for (const std::string_view name : names_of(option)) {
        patterns += (patterns.empty() ? "'" : " | '") + std::string(command.name) + " " + std::string(name) + "'";
      }
    }
  }
  std::string text;
  for (const auto& [completion, patterns] : branches) text += branch(patterns, completion);
  return text;
}

std::string word_branches(std::span<const Command> commands) {
  std::string text;
  for (const Command& command : commands) {
    const Completion words = words_of(command);
    if (words.empty()) continue;
    const std::string name(command.name);
    if (!shows_names(command)) {
      text += branch("'" + name + " '*", words);
      continue;
    }
    text += branch("'" + name + " show'", words);
    text += branch("'" + name + " " + name + "'", {.words = {"show"}, .files = false});
  }
  return text;
}

std::string option_branches(std::span<const Command> commands) {
  std::string text;
  for (const Command& command : commands) {
    text += branch(std::string(command.name), {.words = option_names_of(command), .files = false});
  }
  return text;
}

}  // namespace

std::string bash_completions(std::span<const Command> commands) {
  std::vector<std::string_view> names;
  for (const Command& command : commands) names.push_back(command.name);
  names.insert(names.end(), {"--help", "--version"});
  return "# bash completion for tilemeter " + std::string(program_version) +
         ", made by `tilemeter completions bash`\n" + std::string(helpers) + std::string(start_of_function) +
         "  if ((COMP_CWORD == 1)); then\n    _tilemeter_offer '" + blank_separated(names) + "'\n    return\n  fi\n" +
         "  case \"$command $before\" in\n" + value_branches(commands) + "  esac\n" +
         "  if [[ $current == -* ]]; then\n    case $command in\n" + option_branches(commands) + "    esac\n  fi\n" +
         "  case \"$command $before\" in\n" + word_branches(commands) +
         "  esac\n}\n\ncomplete -F _tilemeter tilemeter\n";
}

}  // namespace tilemeter
