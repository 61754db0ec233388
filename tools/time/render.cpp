#include "tools/time/render.hpp"

#include "tools/report/report.hpp"
#include "tools/tables/render.hpp"
#include "tools/time/tables.hpp"
#include "traces/timeline.hpp"

namespace tilemeter {
namespace {

constexpr std::string_view timed_point_paths =
    "algorithm device problem/batch problem/heads problem/kv_heads problem/seq_q problem/seq_k problem/head_dim "
    "problem/head_dim_v problem/mask problem/dtype tiling/block_q tiling/block_k tiling/stages tiling/rule "
    "execution/matrix execution/overlap execution/scheduling execution/row_order execution/fastest execution/tails "
    "execution/warps execution/clock_hz traffic/bytes/read traffic/bytes/write traffic/bytes/total levels/l2/hits "
    "hbm/total hbm/read hbm/write hbm/left_in_l2 compulsory/bytes time/seconds time/low time/high time/binding "
    "time/kind "
    "time/roofline_seconds time/roofline_sustained_seconds time/sustained_share time/bounds/tensor time/bounds/exp "
    "time/bounds/fma time/bounds/alu time/bounds/shared time/bounds/l2 time/bounds/hbm time/floor_seconds "
    "time/serial_seconds time/share_of_peak estimate/seconds";

/// Columns of a point's paths, with a share of the time for each wait.
std::string predict_paths() {
  std::string paths(timed_point_paths);
  paths += " waits/working";
  for (const Wait wait : wait_causes) paths += " waits/" + std::string(name_of(wait));
  return paths;
}

std::string sm_paths() {
  std::string paths = "algorithm index blocks read_bytes write_bytes peak_bytes resident_seconds working_seconds";
  for (const SmUnit unit : sm_units) paths += " busy_seconds/" + std::string(name_of(unit));
  for (const Wait wait : wait_causes) paths += " wait_seconds/" + std::string(name_of(wait));
  return paths;
}

/// The SMs of all points, each with its algorithm.
Json sm_rows(const Json& points) {
  Json rows = Json::array();
  for (const Json& point : points) {
    for (Json sm : point["sms"]) {
      sm["algorithm"] = point["algorithm"];
      rows.push_back(std::move(sm));
    }
  }
  return rows;
}

std::string json_text(std::string_view command, const Arguments& arguments, const Json& points) {
  return timed_document(command, arguments, points).dump(2) + "\n";
}

std::vector<tables::MadeTable> tables_of(std::string_view command, const Json& points) {
  if (points.size() > 1) return {timed_list(points)};
  return command == "predict" ? predict_tables(points.front()) : simulate_tables(points.front());
}

std::string notes_text(const Json& points) {
  std::string text;
  for (const Json& point : points) {
    for (const Json& note : point["notes"]) {
      const std::string subject = point["algorithm"].get<std::string>() + ": ";
      const std::string said = note.get<std::string>();
      text += "note: " + (said.starts_with(subject) ? said : subject + said) + "\n";
    }
  }
  return text.empty() ? text : "\n" + text;
}

std::string head_text(Format format, const Json& points) {
  if (points.size() > 1) return "";
  return (format == Format::md ? "# " : "") + timed_subject(points.front()) + "\n\n";
}

}  // namespace

std::vector<Column> predict_columns() { return columns_of(predict_paths()); }

Json timed_document(std::string_view command, const Arguments& arguments, const Json& points) {
  Json document = document_json(command, arguments);
  if (points.size() == 1) {
    document.update(points.front());
  } else {
    document["points"] = points;
  }
  return document;
}

std::string render_timed(Format format, std::string_view command, const Arguments& arguments, const Json& points) {
  switch (format) {
    case Format::json:
      return json_text(command, arguments, points);
    case Format::csv:
      return command == "predict" ? csv_of(points, predict_paths()) : csv_of(sm_rows(points), sm_paths());
    case Format::html:
      return render_report(json_text(command, arguments, points), "tilemeter " + std::string(command));
    case Format::table:
    case Format::md:
      return head_text(format, points) + tables::render(format, tables_of(command, points)) + notes_text(points);
  }
  return {};
}

}  // namespace tilemeter
