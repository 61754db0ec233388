#include <array>
#include <filesystem>
#include <system_error>

#include "tools/commands/all.hpp"
#include "tools/commands/shared.hpp"
#include "tools/complexity/document.hpp"
#include "tools/json.hpp"
#include "tools/output/csv.hpp"
#include "tools/output/target.hpp"
#include "tools/report/report.hpp"

namespace tilemeter {
namespace {

constexpr std::array report_options = {
    OptionSpec{"--output,-o", "FILE.html", "the page; default standard output"},
    OptionSpec{"--title", "TEXT", "title of the page; default the name of the input"},
};

constexpr std::string_view report_example =
    "  tilemeter sweep --algorithm standard,flash1 --seq 4096 --sram 12500el:200000el:*2 -o m.json\n"
    "  tilemeter report m.json -o m.html\n"
    "makes one self-contained page with charts of traffic against SRAM from the sweep's JSON (or CSV).";

bool looks_like_json(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
}

/// The input as a JSON document; CSV becomes one.
std::string json_text_of(const std::string& path) {
  std::string text = read_file("report", path);
  if (looks_like_json(text)) return text;
  if (!text.starts_with("algorithm,")) {
    throw InputError("report " + path + ": expected the JSON or CSV that tilemeter wrote");
  }
  Json document = document_json("sweep");
  document["points"] = points_of_csv(text, "report " + path);
  return document.dump();
}

/// Refuses a name that promises another format than a page.
void refuse_other_format(const std::string& path) {
  for (const std::string_view other : {".csv", ".json", ".md", ".txt"}) {
    if (!path.ends_with(other)) continue;
    throw InputError("-o " + path + ": report writes HTML, and " + std::string(other) +
                     " is another format: expected FILE.html");
  }
}

/// Refuses to write the page over the data that it shows.
void refuse_own_input(const std::string& input, const std::string& path) {
  std::error_code none;
  if (!std::filesystem::equivalent(input, path, none)) return;
  throw InputError("-o " + path + " is the input: expected another file");
}

int run_report(const Arguments& arguments) {
  if (arguments.words().size() != 1) {
    throw InputError("report takes one file: tilemeter report FILE -o out.html");
  }
  const std::string& input = arguments.words().front();
  const std::string title = arguments.find("--title").value_or(input);
  const auto path = arguments.find("-o");
  if (path) {
    require_writable(*path);
    refuse_own_input(input, *path);
    refuse_other_format(*path);
  }
  const std::string page = complexity::page_of_any(json_text_of(input), title, "report " + input);
  if (!path) {
    write_out(page);
    return 0;
  }
  PendingFile file(*path, partial_path(*path));
  file.write(page);
  file.commit();
  return 0;
}

}  // namespace

Command report_command() {
  return {
      .name = "report",
      .summary = "one self-contained HTML page with charts, from the JSON of any command or the CSV of count and sweep",
      .example = report_example,
      .words = "FILE",
      .options = all_options({report_options, logging_option_specs()}),
      .run = run_report};
}

}  // namespace tilemeter
