// A subcommand as data: what it is called, which options it takes, what it does.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilemeter {

/// Whether an option may be given more than once.
enum class Repeat { once, often };

/// The words that a value may be, out of the program's own registries.
using KnownWords = std::vector<std::string_view> (*)();

/// One option. `value` names its argument in the help text; empty for a flag.
struct OptionSpec {
  std::string_view names;  ///< comma separated; the last is the name used in messages
  std::string_view value;
  std::string_view help;
  Repeat repeat = Repeat::once;
  std::string_view alone{};    ///< the value that the option stands for when none follows; empty when it needs one
  KnownWords known = nullptr;  ///< absent where a value is a number, a text or a file

  /// The same option with the words that its value may be.
  constexpr OptionSpec among(KnownWords words) const {
    OptionSpec spec = *this;
    spec.known = words;
    return spec;
  }

  /// The name by which messages and Arguments call the option: "--seq".
  constexpr std::string_view name() const {
    const std::size_t comma = names.rfind(',');
    return comma == std::string_view::npos ? names : names.substr(comma + 1);
  }
};

/// What the user gave to a subcommand, in the order of the command line.
class Arguments {
 public:
  struct Given {
    std::string option;
    std::string value;  ///< empty for a flag
  };

  Arguments() = default;
  Arguments(std::vector<Given> options, std::vector<std::string> words)
      : options_(std::move(options)), words_(std::move(words)) {}

  const std::vector<Given>& options() const { return options_; }
  const std::vector<std::string>& words() const { return words_; }  ///< positional arguments

  bool has(std::string_view option) const { return find(option).has_value(); }

  std::optional<std::string> find(std::string_view option) const {
    for (const Given& given : options_) {
      if (given.option == option) return given.value;
    }
    return std::nullopt;
  }

  /// Words, then options with their values, as a command line has them, but for the options in `left_out`.
  std::vector<std::string> spelled_out(std::span<const std::string_view> left_out = {}) const {
    std::vector<std::string> texts = words_;
    for (const Given& given : options_) {
      if (std::find(left_out.begin(), left_out.end(), given.option) != left_out.end()) continue;
      texts.push_back(given.option);
      if (!given.value.empty()) texts.push_back(given.value);
    }
    return texts;
  }

 private:
  std::vector<Given> options_;
  std::vector<std::string> words_;
};

/// One subcommand of the program. `run` returns the exit status.
struct Command {
  std::string_view name;
  std::string_view summary;  ///< one sentence
  std::string_view example;  ///< command lines after two blanks, and below each what it prints or means
  std::string_view words;    ///< positional arguments for the help text; empty when there are none
  std::vector<OptionSpec> options;
  int (*run)(const Arguments&) = nullptr;
  KnownWords known{};  ///< what a positional argument may be; of "show NAME" the names
};

/// The table of subcommands, in the order of the guide.
const std::vector<Command>& commands();

}  // namespace tilemeter
