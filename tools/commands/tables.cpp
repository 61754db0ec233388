#include <array>

#include "tools/commands/all.hpp"
#include "tools/commands/shared.hpp"
#include "tools/log.hpp"
#include "tools/output/number.hpp"
#include "tools/tables/catalog.hpp"
#include "tools/tables/render.hpp"

namespace tilemeter {
namespace {

constexpr std::array list_option = {
    OptionSpec{"--list", "", "only the names of the tables, with one line each"},
};

constexpr std::string_view tables_example =
    "  tilemeter tables traffic-vs-m break-even\n"
    "counts tiled traffic over the memory on chip and searches the break-even, with the figures of the course beside\n"
    "ours and a verdict on each. Without names: all tables. The csv of several tables has one line a cell.";

std::vector<std::string_view> known_tables() {
  std::vector<std::string_view> names;
  for (const tables::TableSpec& spec : tables::catalog()) names.push_back(spec.name);
  return names;
}

std::string list_text(const std::vector<tables::TableSpec>& specs) {
  std::string text;
  for (const tables::TableSpec& spec : specs) text += pad_right(spec.name, 19) + std::string(spec.title) + "\n";
  return text;
}

std::vector<tables::TableSpec> chosen_tables(const Arguments& arguments) {
  std::vector<tables::TableSpec> chosen;
  for (const std::string& name : arguments.words()) chosen.push_back(tables::find_table(name));
  if (chosen.empty()) chosen.assign(tables::catalog().begin(), tables::catalog().end());
  return chosen;
}

int list_tables(const Arguments& arguments) {
  for (const char* option : {"--format", "-o"}) {
    if (arguments.has(option)) {
      throw InputError("--list goes to standard output as text: leave " + std::string(option) + " out");
    }
  }
  write_out(list_text(chosen_tables(arguments)));
  return 0;
}

int run_tables(const Arguments& arguments) {
  if (arguments.has("--list")) return list_tables(arguments);
  const Target target = target_of(arguments);
  const std::vector<tables::TableSpec> chosen = chosen_tables(arguments);
  const auto file = open_file(target);
  const std::vector<tables::MadeTable> made = tables::make(chosen);
  for (const std::string& failure : tables::failures_of(made)) log_error(failure);
  const std::string text = tables::render(target.format, made, arguments);
  if (!file) {
    write_out(text);
  } else {
    file->write(text);
    file->commit();
  }
  return tables::exit_status(made);
}

}  // namespace

Command tables_command() {
  return {.name = "tables",
          .summary = "the reference tables of the course and of the theory, recomputed; by name, or all",
          .example = tables_example,
          .words = "[NAME...]",
          .options = all_options({list_option, output_option_specs(), logging_option_specs()}),
          .run = run_tables,
          .known = known_tables};
}

}  // namespace tilemeter
