#include "tools/commands/all.hpp"
#include "tools/commands/shared.hpp"
#include "tools/man/page.hpp"

namespace tilemeter {
namespace {

constexpr std::string_view man_example =
    "  tilemeter man > tilemeter.1\n"
    "writes the manual page in roff: every subcommand with its options and examples. To read it at once:\n"
    "  tilemeter man | man -l -";

int run_man(const Arguments&) {
  write_out(manual_page(commands()));
  return 0;
}

}  // namespace

Command man_command() {
  return {.name = "man",
          .summary = "the manual page, in roff",
          .example = man_example,
          .words = "",
          .options = all_options({logging_option_specs()}),
          .run = run_man};
}

}  // namespace tilemeter
