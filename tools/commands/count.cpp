#include <array>

#include "sim/catalog.hpp"
#include "tools/commands/all.hpp"
#include "tools/commands/answers.hpp"
#include "tools/commands/shared.hpp"
#include "tools/json.hpp"
#include "tools/log.hpp"
#include "tools/options/point_options.hpp"
#include "tools/options/text.hpp"
#include "tools/output/csv.hpp"
#include "tools/output/list.hpp"
#include "tools/output/sheet.hpp"
#include "tools/report/report.hpp"
#include "tools/time/json.hpp"

namespace tilemeter {
namespace {

constexpr std::array sm_options = {
    OptionSpec{"--per-sm", "", "also bytes and blocks of every SM, with --device or --sms"},
    OptionSpec{"--sms", "N", "number of SMs for --per-sm; default the device's"},
};

constexpr std::string_view count_example =
    "  tilemeter count --algorithm flash1 --seq 4096 --head-dim 64 --sram 50000el --blocks paper\n"
    "counts FlashAttention-1 with the paper's tiles (64 x 196) in 50,000 elements of SRAM: 17,383,424 elements\n"
    "cross the edge of the SM, 33.81 MiB, equal to the closed form 2Nd + Tc(3Nd + 4N).\n"
    "  tilemeter count --algorithm flash2 --seq 8192 --heads 32 --kv-heads 8 --head-dim 128 --causal --device h200\n"
    "counts grouped queries under a causal mask in the largest tiles that fit an SM of the H200, with the time in\n"
    "closed form. Several algorithms give a line each, --format json everything:\n"
    "  tilemeter count --algorithm standard,flash1,flash2 --seq 4096 --sram 100KiB --format json";

std::optional<Count> sms_of(const Arguments& arguments, const PointGrid& grid) {
  const auto sms = arguments.find("--sms");
  if (!arguments.has("--per-sm")) {
    if (sms) throw InputError("--sms " + *sms + " needs --per-sm");
    return std::nullopt;
  }
  if (sms) {
    constexpr Count most_sms = 100000;  // as for sm.count of a device
    const Count count = parse_count("--sms", *sms, 1);
    if (count > most_sms) {
      throw InputError("--sms " + *sms + " is too large: expected 1 to " + std::to_string(most_sms));
    }
    return count;
  }
  const PointRequest first = grid[0];
  if (!first.device) throw InputError("--per-sm needs --device NAME or --sms N");
  return first.device->sm.count;
}

/// One point stands at the top of the document, several in a list.
Json document_of(const Arguments& arguments, const Json& points, const PointGrid& grid) {
  Json document = list_document("count", arguments, grid);
  if (points.size() == 1) {
    document.update(points.front());
  } else {
    document["points"] = points;
  }
  return document;
}

std::string list_text(Format format, const Json& points, const PointGrid& grid) {
  const ListFormat list = list_format(format, {}, grid);
  std::string text = list.head;
  for (std::size_t i = 0; i < points.size(); ++i) text += list.row(points[i], i);
  return text + list.tail;
}

std::string hints_text(const Json& points) {
  std::string text;
  for (const Json& point : points) {
    if (!point.contains("warnings")) continue;
    for (const Json& hint : point["warnings"]) {
      text += "note: " + point["algorithm"].get<std::string>() + ": " + hint.get<std::string>() + "\n";
    }
  }
  return text.empty() ? text : "\n" + text;
}

std::string text_of(Format format, const Arguments& arguments, const Json& points, const PointGrid& grid) {
  switch (format) {
    case Format::json:
      return document_of(arguments, points, grid).dump(2) + "\n";
    case Format::html:
      return render_report(document_of(arguments, points, grid).dump(), "tilemeter count");
    case Format::table:
      if (points.size() == 1) return point_sheet(points.front());
      return list_text(format, points, grid) + hints_text(points);
    case Format::csv:
    case Format::md:
      return list_text(format, points, grid);
  }
  return {};
}

/// What is asked, read and checked.
struct CountQuestion {
  PointGrid grid;
  RunOptions options;
};

CountQuestion count_question(const Arguments& arguments) {
  RunOptions options = run_options_of(arguments);
  PointGrid grid = point_grid(arguments, "count", Several::one_but_algorithms);
  options.sms = sms_of(arguments, grid);
  check_all(grid, options);
  return {.grid = std::move(grid), .options = options};
}

std::string failure_of(const PointResult& result) {
  return std::string(result.request.algorithm->name) + (!result.equal() ? ": the count differs from the closed form"
                                                        : result.options.mistake == Mistake::none
                                                            ? ": the numbers are wrong"
                                                            : ": the damage is not the predicted one");
}

/// The points in a list, whatever their number.
CommandAnswer counted_points(const CountQuestion& question) {
  CommandAnswer answer{.document = Json::array()};
  for (std::size_t i = 0; i < question.grid.size(); ++i) {
    const PointResult result = evaluate(question.grid[i], question.options);
    if (result.refusal) throw InputError(*result.refusal);
    if (!result.consistent()) answer.failures.push_back(failure_of(result));
    answer.document.push_back(point_json(result, Feasibility::silent));
    add_closed_form_time(result, answer.document.back());
  }
  return answer;
}

int run_count(const Arguments& arguments) {
  const Target target = target_of(arguments);
  const CountQuestion question = count_question(arguments);
  const auto file = open_file(target);
  const CommandAnswer points = counted_points(question);
  for (const std::string& failure : points.failures) log_error(failure);
  const std::string text = text_of(target.format, arguments, points.document, question.grid);
  if (!file) {
    write_out(text);
  } else {
    file->write(text);
    file->commit();
  }
  return points.failures.empty() ? 0 : 1;
}

}  // namespace

CommandAnswer count_answer(const Arguments& arguments) {
  const CountQuestion question = count_question(arguments);
  CommandAnswer answer = counted_points(question);
  answer.document = document_of(arguments, answer.document, question.grid);
  return answer;
}

Command count_command() {
  return {.name = "count",
          .summary = "exact traffic, operations and SRAM use of one point, counted and by closed form",
          .example = count_example,
          .words = "",
          .options = all_options(
              {point_option_specs(), run_option_specs(), sm_options, output_option_specs(), logging_option_specs()}),
          .run = run_count};
}

}  // namespace tilemeter
