#include "tools/output/csv.hpp"

#include "tools/output/columns.hpp"
#include "traces/csv.hpp"

namespace tilemeter {
namespace {

std::string cell(const Json* value) {
  if (value == nullptr || value->is_null()) return {};
  if (value->is_string()) return csv_cell(value->get_ref<const std::string&>());
  return csv_cell(value->dump());
}

/// Numbers, booleans and lists as such, everything else as text.
Json value_of(const std::string& cell) {
  Json value = Json::parse(cell, nullptr, /*allow_exceptions=*/false);
  return value.is_discarded() || value.is_string() || value.is_object() ? Json(cell) : value;
}

std::vector<std::string> path_of(const std::string& name) {
  for (const Column& column : point_columns()) {
    if (column.name == name) return column.path;
  }
  return {name};
}

/// Whether there is room: not where another column has a value in the place of a table, or a table in that of a value.
bool place(Json& point, const std::vector<std::string>& path, Json value) {
  Json* at = &point;
  for (const std::string& key : path) {
    if (!at->is_object() && !at->is_null()) return false;
    at = &(*at)[key];
  }
  if (at->is_object()) return false;
  *at = std::move(value);
  return true;
}

}  // namespace

std::string csv_header() {
  std::string line;
  for (const Column& column : point_columns()) line += (line.empty() ? "" : ",") + column.name;
  return line + "\n";
}

std::string csv_row(const Json& point) {
  std::string line;
  for (const Column& column : point_columns()) {
    if (&column != &point_columns().front()) line += ',';
    line += cell(find_path(point, column.path));
  }
  return line + "\n";
}

Json points_of_csv(std::string_view text, std::string_view origin) {
  CsvReader reader(text, origin);
  std::vector<std::vector<std::string>> paths;
  const std::vector<std::string> names = reader.record();
  for (const std::string& name : names) paths.push_back(path_of(name));
  Json points = Json::array();
  while (!reader.done()) {
    const std::size_t line = reader.line();
    const std::vector<std::string> cells = reader.record();
    if (cells.size() != paths.size()) {
      reader.refuse(line,
                    "has " + std::to_string(cells.size()) + " cells; the heading has " + std::to_string(paths.size()));
    }
    Json point = Json::object();
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (cells[i].empty() || place(point, paths[i], value_of(cells[i]))) continue;
      reader.refuse(line, "column " + names[i] + " and another one of the same beginning exclude each other");
    }
    points.push_back(std::move(point));
  }
  return points;
}

}  // namespace tilemeter
