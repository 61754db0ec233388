#include "tools/shells/completions.hpp"
#include "tools/commands/all.hpp"
#include "tools/commands/shared.hpp"
#include "tools/options/choice.hpp"

namespace tilemeter {
namespace {

using Script = std::string (*)(std::span<const Command>);
constexpr std::array<Choice<Script>, 3> shells = {
    {{"bash", bash_completions}, {"zsh", zsh_completions}, {"fish", fish_completions}}};

constexpr std::string_view completions_example =
    "  source <(tilemeter completions bash)\n"
    "completes subcommands, options, and the values that the program knows (algorithms, devices, kernels, types, "
    "formats,\n"
    "keys of --set, names of tables) in this shell. To have it in every shell, write it where the shell looks:\n"
    "  tilemeter completions bash > ~/.local/share/bash-completion/completions/tilemeter\n"
    "  tilemeter completions zsh > ~/.zfunc/_tilemeter\n"
    "  tilemeter completions fish > ~/.config/fish/completions/tilemeter.fish\n"
    "zsh looks in ~/.zfunc after `fpath+=~/.zfunc` and before `compinit` in ~/.zshrc.";

int run_completions(const Arguments& arguments) {
  if (arguments.words().size() != 1) {
    throw InputError("completions needs one shell: expected " + join(known_words<shells>()));
  }
  write_out(parse_choice("completions", arguments.words().front(), shells)(commands()));
  return 0;
}

}  // namespace

Command completions_command() {
  return {.name = "completions",
          .summary = "a script that completes command lines in bash, zsh or fish",
          .example = completions_example,
          .words = "bash|zsh|fish",
          .options = all_options({logging_option_specs()}),
          .run = run_completions,
          .known = known_words<shells>};
}

}  // namespace tilemeter
