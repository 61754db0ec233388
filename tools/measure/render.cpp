#include "tools/measure/render.hpp"

#include <algorithm>

#include "tools/output/columns.hpp"
#include "tools/output/figures.hpp"
#include "tools/output/number.hpp"
#include "tools/report/report.hpp"
#include "tools/tables/render.hpp"

namespace tilemeter {
namespace {

using tables::Cell;
using tables::Decimal;
using tables::MadeTable;
using tables::Scientific;

const Json& at(const Json& json, std::initializer_list<const char*> path) {
  static const Json nothing;
  const Json* found = find_path(json, {path.begin(), path.end()});
  return found == nullptr ? nothing : *found;
}

Cell decimal(const Json& value, double unit, int decimals) {
  return value.is_number() ? Cell(Decimal{value.get<double>() / unit, decimals}) : Cell();
}

std::string tile_text(const Json& point) {
  std::string text;
  for (const char* size : {"block_q", "block_m", "block_n", "block_k", "chunk"}) {
    const Json& value = at(point, {"tiling", size});
    if (value.is_number()) text += (text.empty() ? "" : "x") + value.dump();
  }
  return text;
}

/// The largest of a kind of relative error over the outputs that have it.
Cell error_cell(const Json& point, const char* kind) {
  const Json& tensors = at(point, {"gate", "tensors"});
  double largest = -1;
  for (const Json& tensor : tensors) {
    if (const Json& error = at(tensor, {kind}); error.is_number()) largest = std::max(largest, error.get<double>());
  }
  return largest < 0 ? Cell() : Cell(Scientific{largest});
}

struct MeasureColumn {
  std::string name;
  std::string unit;
  Cell (*cell)(const Json& point, const Json& time);
};

std::vector<MeasureColumn> measured_columns() {
  return {
      {"tile", "", [](const Json& point, const Json&) { return Cell(tile_text(point)); }},
      {"error", "", [](const Json& point, const Json&) { return error_cell(point, "error"); }},
      {"error", "rms", [](const Json& point, const Json&) { return error_cell(point, "rms"); }},
      {"SM edge", "MiB",
       [](const Json& point, const Json&) {
         return decimal(at(point, {"traffic", "bytes", "total"}), 1 << 20, 2);
       }},
      {"L2", "",
       [](const Json&, const Json& time) { return time.is_null() ? Cell() : Cell(std::string(time["regime"])); }},
      {"time", "us",
       [](const Json&, const Json& time) {
         return decimal(at(time, {"seconds", "median"}), 1e-6, 2);
       }},
      {"quartiles", "us apart",
       [](const Json&, const Json& time) {
         return decimal(at(time, {"seconds", "quartile_range"}), 1e-6, 2);
       }},
      {"rate", "TFLOP/s",
       [](const Json&, const Json& time) { return decimal(at(time, {"flops_per_second"}), 1e12, 1); }},
      {"of peak", "%", [](const Json&, const Json& time) { return decimal(at(time, {"share_of_peak"}), 0.01, 1); }},
      {"SM edge", "GB/s",
       [](const Json&, const Json& time) { return decimal(at(time, {"edge_bytes_per_second"}), 1e9, 0); }},
      {"compulsory", "GB/s",
       [](const Json&, const Json& time) { return decimal(at(time, {"compulsory_bytes_per_second"}), 1e9, 0); }},
      {"of memory", "%", [](const Json&, const Json& time) { return decimal(at(time, {"share_of_hbm"}), 0.01, 1); }},
      {"clock", "MHz",
       [](const Json&, const Json& time) {
         return decimal(at(time, {"clocks", "sm_hertz"}), 1e6, 0);
       }},
      {"power", "W", [](const Json&, const Json& time) { return decimal(at(time, {"watts"}), 1, 0); }},
  };
}

std::string joined(const Json& words) {
  std::string text;
  for (const Json& word : words) text += (text.empty() ? "" : ", ") + word.get<std::string>();
  return text;
}

/// What is wrong with a point or a time, or what a reader must know of it.
std::string remark(const Json& point, const Json& time) {
  if (point["supported"] == false) return "not supported: " + point["reason"].get<std::string>();
  if (const Json& failure = at(point, {"failure"}); failure.is_string()) return "failed: " + failure.get<std::string>();
  return time.is_null() ? "" : joined(time["labels"]);
}

std::vector<Cell> row_of(const Json& point, const Json& time, const std::vector<Figure>& varying) {
  std::vector<Cell> row = {Cell(point["kernel"].get<std::string>())};
  for (const Figure& figure : varying) row.emplace_back(figure.text(point));
  for (const MeasureColumn& column : measured_columns()) row.push_back(column.cell(point, time));
  row.emplace_back(remark(point, time));
  return row;
}

MadeTable table_of(const Json& document, const PointGrid& grid) {
  const std::vector<Figure> varying = varying_figures(grid);
  MadeTable made{.spec = {.name = "measure", .title = "measured on this GPU", .source = "the kernels' own counters"},
                 .table = {}};
  made.table.columns.push_back({"kernel", ""});
  for (const Figure& figure : varying) made.table.columns.push_back({figure.title, figure.unit});
  for (const MeasureColumn& column : measured_columns()) made.table.columns.push_back({column.name, column.unit});
  made.table.columns.push_back({"remarks", ""});
  for (const Json& point : document["points"]) {
    const Json& times = at(point, {"times"});
    for (const Json& time : times) made.table.rows.push_back(row_of(point, time, varying));
    if (times.empty()) made.table.rows.push_back(row_of(point, nullptr, varying));
  }
  const Json& gpu = document["gpu"];
  made.table.notes.push_back(
      gpu["name"].get<std::string>() + ", driver " + gpu["driver"].get<std::string>() + ", CUDA " +
      gpu["toolkit"].get<std::string>() + "; peaks of " +
      (document["device"].is_null() ? "no device file: give --device NAME" : document["device"].get<std::string>()));
  made.table.notes.push_back(
      "traffic by the kernels' counters, equal to the simulator's ledger; cold: after a flush of " +
      binary_size(document["flush_bytes"].get<Count>()) + "; medians");
  return made;
}

}  // namespace

std::string render_measurements(Format format, const Json& document, const PointGrid& grid) {
  switch (format) {
    case Format::json:
      return document.dump(2) + "\n";
    case Format::csv:
      return measure_csv(document);
    case Format::html:
      return render_report(document.dump(), "tilemeter measure");
    case Format::table:
    case Format::md:
      return tables::render(format, {table_of(document, grid)});
  }
  return {};
}

}  // namespace tilemeter
