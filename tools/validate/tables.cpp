#include "tools/validate/tables.hpp"

#include <algorithm>

#include "tools/output/number.hpp"
#include "tools/validate/splits.hpp"

namespace tilemeter::validation {
namespace {

using tables::Cell;
using tables::Decimal;
using tables::MadeTable;
using tables::TableColumn;

constexpr std::string_view described_in = "tools/README.md, validate";

MadeTable new_table(std::string_view name, std::string_view title, std::vector<TableColumn> columns) {
  return {.spec = {.name = name, .title = title, .source = described_in}, .table = {.columns = std::move(columns)}};
}

Cell text_cell(const Json& value) { return value.is_null() ? Cell() : Cell(value.get<std::string>()); }
Cell percent_cell(const Json& share) { return share.is_null() ? Cell() : Cell(Decimal{100 * share.get<double>(), 2}); }
Cell count_cell(const Json& value) { return value.is_null() ? Cell() : Cell(value.get<Count>()); }
Cell yes_or_no(const Json& value) {
  return value.is_null() ? Cell() : Cell(std::string(value.get<bool>() ? "yes" : "NO"));
}

std::string mention_text(const Json& mention) {
  return mention["kernel"].get<std::string>() + ", " + mention["problem"].get<std::string>();
}

MadeTable verdict_table(const Json& document) {
  MadeTable made =
      new_table("verdicts", "each metric by its own limit",
                {{"metric", ""}, {"split", ""}, {"of", ""}, {"limit", ""}, {"verdict", ""}, {"figures", ""}});
  for (const Json& verdict : document["verdicts"]) {
    made.table.rows.push_back({text_cell(verdict["metric"]), text_cell(verdict["split"]), text_cell(verdict["who"]),
                               text_cell(verdict["limit"]), text_cell(verdict["status"]), text_cell(verdict["words"])});
  }
  return made;
}

MadeTable worst_table(const Json& document) {
  MadeTable made =
      new_table("worst", "rows behind a missed limit, the largest errors first",
                {{"metric", ""}, {"split", ""}, {"kernel", ""}, {"problem", ""}, {"error", "%"}, {"source", ""}});
  for (const Json& verdict : document["verdicts"]) {
    for (const Json& row : verdict["worst"]) {
      made.table.rows.push_back({text_cell(verdict["metric"]), text_cell(verdict["split"]), text_cell(row["kernel"]),
                                 text_cell(row["problem"]), percent_cell(row["error"]), text_cell(row["source"])});
      if (row.contains("detail"))
        made.table.notes.push_back(mention_text(row) + ": " + row["detail"].get<std::string>());
    }
  }
  return made;
}

/// Kernels on the side of a split that it is not about, and single rungs, which the ladder shows.
bool is_beside_the_point(const Json& summary) {
  if (summary["group"].get<bool>()) return false;
  return ladder_of(summary["who"].get<std::string>()) || (summary["role"] == "fitted" && summary["split"] != "all");
}

MadeTable traffic_table(const Json& document, RowsShown shown) {
  MadeTable made = new_table("bytes", "errors of predicted bytes; no fit touches them",
                             {{"metric", ""},
                              {"of", ""},
                              {"rows", ""},
                              {"mean", "%"},
                              {"median", "%"},
                              {"max", "%"},
                              {"bias", "%"},
                              {"worst", ""}});
  for (const Json& summary : document["summaries"]) {
    if (summary["metric"] == "time" || (shown == RowsShown::none && is_beside_the_point(summary))) continue;
    made.table.rows.push_back({text_cell(summary["metric"]), text_cell(summary["who"]), count_cell(summary["count"]),
                               percent_cell(summary["mean"]), percent_cell(summary["median"]),
                               percent_cell(summary["max"]), percent_cell(summary["bias"]),
                               mention_text(summary["worst"])});
  }
  made.table.notes.push_back(
      "bytes at the L2 are predicted as those at the edge of the SM; what neighbouring SMs read together is not "
      "joined");
  return made;
}

MadeTable time_table(const Json& document, RowsShown shown) {
  MadeTable made = new_table("times", "errors of predicted times",
                             {{"split", ""},
                              {"rows are", ""},
                              {"of", ""},
                              {"rows", ""},
                              {"mean", "%"},
                              {"median", "%"},
                              {"max", "%"},
                              {"bias", "%"},
                              {"in interval", "%"},
                              {"roofline", "mean %"},
                              {"no L2", "mean %"},
                              {"worst", ""}});
  for (const Json& summary : document["summaries"]) {
    if (summary["metric"] != "time" || (shown == RowsShown::none && is_beside_the_point(summary))) continue;
    made.table.rows.push_back({text_cell(summary["split"]), text_cell(summary["role"]), text_cell(summary["who"]),
                               count_cell(summary["count"]), percent_cell(summary["mean"]),
                               percent_cell(summary["median"]), percent_cell(summary["max"]),
                               percent_cell(summary["bias"]), percent_cell(summary["coverage"]),
                               percent_cell(summary["roofline_mean"]), percent_cell(summary["two_level_mean"]),
                               mention_text(summary["worst"])});
  }
  made.table.notes.push_back("interval: 90 % of a normal distribution with the spread that the fit leaves");
  made.table.notes.push_back(
      "roofline: max(FLOPs / peak, compulsory bytes / HBM); no L2: max(FLOPs / peak, bytes at the SM edge / HBM)");
  for (const Json& split : document["splits"]) {
    made.table.notes.push_back("split " + split["name"].get<std::string>() + ": " +
                               split["statement"].get<std::string>() + " (" + split["fitted"].dump() + " fitted, " +
                               split["held_out"].dump() + " held out)");
  }
  return made;
}

MadeTable ladder_table(const Json& document, RowsShown shown) {
  MadeTable made = new_table("ladder", "what each rung gains over the one that it builds on",
                             {{"split", ""},
                              {"rung", ""},
                              {"on", ""},
                              {"problem", ""},
                              {"measured", "%"},
                              {"predicted", "%"},
                              {"difference", "points"},
                              {"right sign", ""},
                              {"within 10", ""}});
  for (const Json& step : document["ladder"]) {
    if (shown == RowsShown::none && step["split"] != "all") continue;
    made.table.rows.push_back({text_cell(step["split"]), text_cell(step["rung"]), text_cell(step["below"]),
                               text_cell(step["problem"]), percent_cell(step["measured_gain"]),
                               percent_cell(step["predicted_gain"]),
                               step["points"].is_null() ? Cell() : Cell(Decimal{step["points"].get<double>(), 1}),
                               yes_or_no(step["sign_right"]), yes_or_no(step["within"])});
  }
  made.table.notes.push_back("rungs are predicted with the figures of the kernel itself and are never fitted");
  return made;
}

MadeTable fits_table(const Json& document) {
  MadeTable made = new_table("fits", "what was fitted of each kernel",
                             {{"split", ""},
                              {"figure", ""},
                              {"times", ""},
                              {"value", ""},
                              {"+- (95 %)", ""},
                              {"prior", ""},
                              {"determined", ""}});
  constexpr int digits = 4;
  for (const Json& split : document["splits"]) {
    for (const Json& fit : split["fits"]) {
      for (const Json& figure : fit["figures"]) {
        const auto decimal = [&](const char* key) {
          return figure[key].is_null() ? Cell() : Cell(Decimal{figure[key].get<double>(), digits});
        };
        made.table.rows.push_back({text_cell(split["name"]), text_cell(figure["key"]), count_cell(fit["observations"]),
                                   decimal("value"), decimal("half_width95"), decimal("prior"),
                                   yes_or_no(figure["determined"])});
      }
    }
  }
  return made;
}

/// Bytes whole, times in us.
Cell amount_cell(const Json& row, const char* key) {
  if (!row.contains(key) || row[key].is_null()) return {};
  if (row["metric"] != "time") return Cell(row[key].get<Count>());
  return Cell(Decimal{row[key].get<double>() * 1e6, 2});
}

Cell baseline_cell(const Json& row, const char* key) {
  return row.contains(key) ? percent_cell(row[key]["error"]) : Cell();
}

MadeTable rows_table(const Json& document) {
  MadeTable made = new_table("rows", "predicted and measured; bytes, and times in us",
                             {{"source", ""},
                              {"kernel", ""},
                              {"problem", ""},
                              {"metric", ""},
                              {"split", ""},
                              {"row is", ""},
                              {"measured", "B or us"},
                              {"predicted", "B or us"},
                              {"error", "%"},
                              {"low", "us"},
                              {"high", "us"},
                              {"roofline", "%"},
                              {"no L2", "%"},
                              {"predicted by", ""}});
  for (const Json& row : document["rows"]) {
    made.table.rows.push_back({text_cell(row["source"]), text_cell(row["kernel"]), text_cell(row["problem"]),
                               text_cell(row["metric"]), text_cell(row["split"]), text_cell(row["role"]),
                               amount_cell(row, "measured"), amount_cell(row, "predicted"), percent_cell(row["error"]),
                               amount_cell(row, "low"), amount_cell(row, "high"), baseline_cell(row, "roofline"),
                               baseline_cell(row, "two_level"), text_cell(row["basis"])});
  }
  return made;
}

/// A note of a point: its document and the rest.
struct PointNote {
  std::string document;
  std::string why;
};

/// Whether two notes say the same, whatever their figures are.
bool say_the_same(const PointNote& a, const PointNote& b) {
  const auto words = [](std::string text) {
    std::erase_if(text, [](char c) { return c >= '0' && c <= '9'; });
    return text;
  };
  return a.document == b.document && words(a.why) == words(b.why);
}

/// The parts of "a.json, point 1: why"; nothing of other notes.
std::optional<PointNote> parts_of(const std::string& note) {
  constexpr std::string_view ending = ".json, ";
  const std::size_t end = note.find(ending);
  const std::size_t colon = end == std::string::npos ? end : note.find(": ", end);
  if (colon == std::string::npos) return std::nullopt;
  return PointNote{note.substr(0, end + ending.size() - 2), note.substr(colon + 2)};
}

/// Notes that say the same of several points of a document, once.
std::vector<std::string> together(const Json& notes) {
  std::vector<std::pair<PointNote, Count>> said;
  std::vector<std::string> texts;
  for (const Json& note : notes) {
    const auto parts = parts_of(note.get<std::string>());
    if (!parts) {
      texts.push_back(note.get<std::string>());
      continue;
    }
    const auto same =
        std::find_if(said.begin(), said.end(), [&](const auto& one) { return say_the_same(one.first, *parts); });
    if (same == said.end()) {
      said.emplace_back(*parts, 1);
    } else {
      ++same->second;
    }
  }
  for (const auto& [note, times] : said) {
    const std::string more = times == 1 ? "" : " (" + std::to_string(times) + " points, this is the first)";
    texts.push_back(note.document + ": " + note.why + more);
  }
  return texts;
}

void add_notes(const Json& document, MadeTable& made) {
  for (const std::string& text : together(document["missing"])) made.table.notes.push_back("missing: " + text);
  for (const std::string& text : together(document["notes"])) made.table.notes.push_back(text);
}

}  // namespace

std::vector<MadeTable> summary_tables(const Json& document, RowsShown shown) {
  std::vector<MadeTable> made;
  made.push_back(verdict_table(document));
  add_notes(document, made.back());
  std::vector<MadeTable> more = {worst_table(document), traffic_table(document, shown), time_table(document, shown),
                                 ladder_table(document, shown)};
  if (shown == RowsShown::all) {
    more.push_back(fits_table(document));
    more.push_back(rows_table(document));
  }
  for (MadeTable& table : more) {
    if (!table.table.rows.empty()) made.push_back(std::move(table));
  }
  return made;
}

}  // namespace tilemeter::validation
