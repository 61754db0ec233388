#include "tools/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "model/suggest.hpp"
#include "tools/options/text.hpp"
#include "tools/version.hpp"

namespace tilemeter {
namespace {

constexpr std::string_view words_name = "words";

std::string guide(std::span<const Command> table) {
  std::string text = "tilemeter " + std::string(program_version) +
                     ": exact memory traffic of tiled attention, counted by running it\n\n"
                     "usage: tilemeter COMMAND [OPTIONS]\n\ncommands:\n";
  for (const Command& command : table) {
    text += "  " + std::string(command.name) + std::string(12 - std::min<std::size_t>(11, command.name.size()), ' ') +
            std::string(command.summary) + "\n";
  }
  return text +
         "\nstart with:\n"
         "  tilemeter count --algorithm standard,flash1,flash2 --seq 4096 --head-dim 64 --sram 100KiB\n"
         "`tilemeter COMMAND --help` shows a command's options and an example; --version the version.\n";
}

std::string help_page(const Command& command) {
  std::string text = "tilemeter " + std::string(command.name) + ": " + std::string(command.summary) +
                     "\n\nusage: tilemeter " + std::string(command.name) +
                     (command.words.empty() ? "" : " " + std::string(command.words)) +
                     (command.options.empty() ? "" : " [OPTIONS]") + "\n";
  if (!command.options.empty()) text += "\noptions:\n";
  for (const OptionSpec& option : command.options) {
    std::string names(option.names);
    if (!option.value.empty()) names += " " + std::string(option.value);
    constexpr std::size_t column = 28;
    names += names.size() < column - 1 ? std::string(column - names.size(), ' ') : "\n" + std::string(column + 2, ' ');
    text += "  " + names + std::string(option.help) + "\n";
  }
  return text + "\nexample:\n" + std::string(command.example) + "\n";
}

void add_command(CLI::App& app, const Command& command) {
  CLI::App* sub = app.add_subcommand(std::string(command.name), std::string(command.summary));
  sub->set_help_flag("-h,--help");
  for (const OptionSpec& spec : command.options) {
    const std::string names(spec.names);
    CLI::Option* option = spec.value.empty() ? sub->add_flag(names) : sub->add_option(names)->expected(1);
    option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);  // repetition is refused by refuse_misuse
  }
  if (command.words.empty()) return;
  sub->add_option_function<std::vector<std::string>>(std::string(words_name), [](const std::vector<std::string>&) {});
}

/// The spec that an option of CLI11 was made from.
const OptionSpec* spec_of(const Command& command, const CLI::Option* option) {
  for (const OptionSpec& spec : command.options) {
    const std::string name(spec.name());
    if (option->check_name(name)) return &spec;
  }
  return nullptr;
}

/// Refuses an option that is given twice, and a flag with a value ("--packed=false").
void refuse_misuse(const OptionSpec& spec, const std::vector<std::string>& values) {
  const std::string name(spec.name());
  if (spec.repeat == Repeat::once && values.size() > 1) {
    throw InputError(name + " is given " + std::to_string(values.size()) + " times: expected once");
  }
  if (!spec.value.empty()) return;
  for (const std::string& value : values) {
    if (value != "true")
      throw InputError(name + "=" + value + ": the flag takes no value; leave it out to switch it off");
  }
}

/// The option of a command that a word names, alone, as "--option=value", or as a short one repeated: "-vv".
const OptionSpec* named_by(const Command& command, std::string_view word) {
  word = word.substr(0, word.find('='));
  const bool is_short = word.size() > 2 && word[0] == '-' && word[1] != '-';
  if (is_short && word.find_first_not_of(word[1], 1) == std::string_view::npos) word = word.substr(0, 2);
  for (const OptionSpec& spec : command.options) {
    for (const std::string_view name : split(spec.names, ',')) {
      if (name == word) return &spec;
    }
  }
  return nullptr;
}

/// Refuses an option at the end of the line, or before another option, where its value should be.
void refuse_missing_values(const Command& command, std::span<const char* const> words) {
  for (std::size_t i = 0; i < words.size() && std::string_view(words[i]) != "--"; ++i) {
    const std::string_view word = words[i];
    const OptionSpec* spec = named_by(command, word);
    if (spec == nullptr || spec->value.empty() || word.find('=') != std::string_view::npos) continue;
    if (!spec->alone.empty()) continue;
    if (++i < words.size() && named_by(command, words[i]) == nullptr) continue;
    throw InputError(std::string(word) + " needs a value: expected " + std::string(word) + " " +
                     std::string(spec->value));
  }
}

/// The words of a command line with the values of options that stand alone filled in: "--unsafe=reverse".
std::vector<std::string> completed(const Command& command, std::span<const char* const> words) {
  std::vector<std::string> complete;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string word = words[i];
    const OptionSpec* spec = named_by(command, word);
    const bool has_value = word.find('=') != std::string::npos || (i + 1 < words.size() && words[i + 1][0] != '-');
    const bool is_alone = spec != nullptr && !spec->alone.empty() && !has_value;
    complete.push_back(is_alone ? word + "=" + std::string(spec->alone) : word);
  }
  return complete;
}

Arguments arguments_of(const Command& command, const CLI::App& sub) {
  std::vector<Arguments::Given> given;
  std::vector<std::string> words;
  std::vector<const CLI::Option*> seen;
  for (const CLI::Option* option : sub.parse_order()) {
    if (std::find(seen.begin(), seen.end(), option) != seen.end()) continue;
    seen.push_back(option);
    const OptionSpec* spec = spec_of(command, option);
    if (spec == nullptr) {
      if (option->check_name(std::string(words_name))) words = option->results();
      continue;
    }
    refuse_misuse(*spec, option->results());
    for (const std::string& value : option->results()) {
      given.push_back({std::string(spec->name()), spec->value.empty() ? std::string() : value});
    }
  }
  return {std::move(given), std::move(words)};
}

[[noreturn]] void refuse_unknown_command(std::span<const Command> table, const std::string& word) {
  std::vector<std::string_view> names;
  for (const Command& command : table) names.push_back(command.name);
  throw InputError((word.starts_with('-') ? "unknown option " : "unknown command ") + word + suggestion(word, names) +
                   ": expected one of the commands " + join(names));
}

[[noreturn]] void refuse_unknown_option(const Command& command, const std::string& word) {
  std::vector<std::string_view> names;
  for (const OptionSpec& option : command.options) names.push_back(option.name());
  const std::string option = word.substr(0, word.find('='));
  const std::string help = "`tilemeter " + std::string(command.name) + " --help` lists the options";
  if (!word.starts_with('-')) {
    throw InputError("unexpected word " + word + " after tilemeter " + std::string(command.name) + ": " + help);
  }
  throw InputError("unknown option " + option + " of " + std::string(command.name) + suggestion(option, names) + ": " +
                   help);
}

/// What CLI11 could not place: the words that it left over.
[[noreturn]] void refuse_extras(std::span<const Command> table, const CLI::App& app) {
  for (const Command& command : table) {
    const CLI::App* sub = app.get_subcommand(std::string(command.name));
    if (!sub->parsed()) continue;
    const std::vector<std::string> left = sub->remaining();
    if (!left.empty()) refuse_unknown_option(command, left.front());
  }
  refuse_unknown_command(table, app.remaining().empty() ? "" : app.remaining().front());
}

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

const Command* parsed_command(std::span<const Command> table, const CLI::App& app) {
  for (const Command& command : table) {
    if (app.get_subcommand(std::string(command.name))->parsed()) return &command;
  }
  return nullptr;
}

}  // namespace

std::variant<Invocation, Page> parse_command_line(std::span<const Command> table, int argc, const char* const* argv) {
  CLI::App app;
  app.set_help_flag("-h,--help");
  app.add_flag("--version");
  for (const Command& command : table) add_command(app, command);
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  for (const Command& command : table) {
    if (words.empty() || command.name != words.front()) continue;
    const std::span<const char* const> rest{argv + 2, static_cast<std::size_t>(argc - 2)};
    refuse_missing_values(command, rest);
    words = completed(command, rest);
    words.insert(words.begin(), std::string(command.name));
  }
  try {
    std::reverse(words.begin(), words.end());  // as CLI11 takes a vector
    app.parse(std::move(words));
  } catch (const CLI::CallForHelp&) {
    const Command* command = parsed_command(table, app);
    return Page{command == nullptr ? guide(table) : help_page(*command)};
  } catch (const CLI::ExtrasError&) {
    refuse_extras(table, app);
  } catch (const CLI::ParseError& error) {
    throw InputError(one_line(error.what()));
  }
  if (app.count("--version") > 0) return Page{"tilemeter " + std::string(program_version) + "\n"};
  const Command* command = parsed_command(table, app);
  if (command == nullptr) return Page{guide(table)};
  return Invocation{command, arguments_of(*command, *app.get_subcommand(std::string(command->name)))};
}

}  // namespace tilemeter
