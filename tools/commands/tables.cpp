#include <array>
#include <memory>

#include "tools/commands/all.hpp"
#include "tools/commands/shared.hpp"
#include "tools/log.hpp"
#include "tools/output/number.hpp"
#include "tools/output/target.hpp"
#include "tools/tables/catalog.hpp"
#include "tools/tables/render.hpp"

namespace tilemeter {
namespace {

constexpr std::array list_option = {
    OptionSpec{"--list", "", "only the names of the tables, with one line each"},
};

constexpr std::string_view example =
    "  tilemeter tables traffic-vs-m break-even\n"
    "counts tiled traffic over the memory on chip and searches the break-even, with the figures of the course beside\n"
    "ours and a verdict on each. Without names: all tables. The csv of several tables has one line a cell.";

std::string list_text() {
  std::string text;
  for (const tables::TableSpec& spec : tables::catalog()) {
    text += pad_right(spec.name, 19) + std::string(spec.title) + "\n";
  }
  return text;
}

std::vector<tables::TableSpec> chosen_tables(const Arguments& arguments) {
  std::vector<tables::TableSpec> chosen;
  for (const std::string& name : arguments.words()) chosen.push_back(tables::find_table(name));
  if (chosen.empty()) chosen.assign(tables::catalog().begin(), tables::catalog().end());
  return chosen;
}

void write_to(const Target& target, std::string_view text, PendingFile* file) {
  if (!target.path) return write_out(text);
  file->write(text);
  file->commit();
}

int run_tables(const Arguments& arguments) {
  const Target target = target_of(arguments);
  const std::vector<tables::TableSpec> chosen = chosen_tables(arguments);
  const auto file = target.path ? std::make_unique<PendingFile>(*target.path, partial_path(*target.path)) : nullptr;
  if (arguments.has("--list")) {
    write_to(target, list_text(), file.get());
    return 0;
  }
  std::vector<tables::MadeTable> made;
  int status = 0;
  for (const tables::TableSpec& spec : chosen) {
    made.push_back({spec, spec.make()});
    for (const std::string& failure : made.back().table.failures) {
      log_error(std::string(spec.name) + ": " + failure);
      status = 1;
    }
  }
  write_to(target, tables::render(target.format, made), file.get());
  return status;
}

}  // namespace

Command tables_command() {
  return {.name = "tables",
          .summary = "the reference tables of the course and of the theory, recomputed; by name, or all",
          .example = example,
          .words = "[NAME...]",
          .options = all_options({list_option, output_option_specs(), logging_option_specs()}),
          .run = run_tables};
}

}  // namespace tilemeter
