#include "tools/man/page.hpp"

#include "tools/options/text.hpp"
#include "tools/shells/words.hpp"
#include "tools/version.hpp"

namespace tilemeter {
namespace {

/// Text that roff prints as it stands: no control lines, and '-' and quotes of ASCII, so that it can be pasted.
std::string roff(std::string_view text) {
  std::string escaped;
  if (text.starts_with('.') || text.starts_with('\'')) escaped += "\\&";
  for (const char c : text) {
    switch (c) {
      case '\\':
        escaped += "\\e";
        break;
      case '-':
        escaped += "\\-";
        break;
      case '\'':
        escaped += "\\(aq";
        break;
      case '`':
        escaped += "\\(ga";
        break;
      case '^':
        escaped += "\\(ha";
        break;
      case '~':
        escaped += "\\(ti";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string bold(std::string_view text) { return "\\fB" + roff(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + roff(text) + "\\fR"; }

std::string option_entry(const OptionSpec& option) {
  std::string head;
  for (const std::string_view name : names_of(option)) head += (head.empty() ? "" : ", ") + bold(name);
  if (!option.value.empty()) head += " " + italic(option.value);
  std::string entry = ".TP\n" + head + "\n" + roff(option.help) + "\n";
  const std::vector<std::string_view> words = values_of(option).words;
  constexpr std::size_t most_words = 40;
  if (words.empty() || words.size() > most_words) return entry;
  return entry + ".br\nKnown: " + roff(join(words)) + ".\n";
}

/// Lines after two blanks are code, others are prose.
std::string examples(std::string_view text) {
  std::string shown;
  bool code = false;
  for (const std::string_view line : split(text, '\n')) {
    const bool is_code = line.starts_with("  ");
    if (is_code != code) shown += is_code ? ".PP\n.EX\n" : ".EE\n.PP\n";
    code = is_code;
    if (!line.empty()) shown += roff(line) + "\n";
  }
  return shown + (code ? ".EE\n" : "");
}

std::string command_section(const Command& command) {
  std::string text = ".SS " + bold("tilemeter " + std::string(command.name)) +
                     (command.words.empty() ? "" : " " + italic(command.words)) + " [" + italic("OPTIONS") + "]\n" +
                     roff(command.summary) + "\n";
  for (const OptionSpec& option : command.options) text += option_entry(option);
  return text + ".PP\n" + italic("Example") + "\n" + examples(command.example);
}

constexpr std::string_view introduction =
    "counts the memory traffic of tiled attention by running it on an instrumented machine, holds every count against "
    "its closed form, and predicts times on a device. Results go to standard output, messages to standard error.\n";

constexpr std::string_view statuses =
    ".SH EXIT STATUS\n"
    ".TP\n.B 0\ndone and consistent\n"
    ".TP\n.B 1\na check failed: a count differs from its closed form, or the numbers of a kernel are wrong\n"
    ".TP\n.B 2\nthe input is wrong or infeasible: one message on standard error, nothing on standard output\n"
    ".TP\n.B 130\ninterrupted\n";

constexpr std::string_view environment =
    ".SH ENVIRONMENT\n"
    ".TP\n.B NO_COLOR\nwhere it is set and not empty, nothing is coloured\n"
    ".TP\n.B TERM\non a terminal called\n.I dumb\nnothing is coloured and no progress bar is drawn\n";

}  // namespace

std::string manual_page(std::span<const Command> commands) {
  std::string text = ".TH TILEMETER 1 \"\" \"tilemeter " + std::string(program_version) +
                     "\" \"User Commands\"\n.SH NAME\ntilemeter \\- exact memory traffic of tiled attention, counted "
                     "by running it\n.SH SYNOPSIS\n" +
                     bold("tilemeter") + " " + italic("COMMAND") + " [" + italic("OPTIONS") + "]\n.br\n" +
                     bold("tilemeter") + " " + italic("COMMAND") + " " + bold("--help") + "\n.br\n" +
                     bold("tilemeter --version") + "\n.SH DESCRIPTION\n" + bold("tilemeter") + "\n" +
                     std::string(introduction) + ".SH COMMANDS\n";
  for (const Command& command : commands) text += command_section(command);
  return text + std::string(statuses) + std::string(environment);
}

}  // namespace tilemeter
