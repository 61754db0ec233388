#include "tools/output/csv.hpp"

#include "tools/output/columns.hpp"

namespace tilemeter {
namespace {

std::string cell(const Json* value) {
  if (value == nullptr || value->is_null()) return {};
  if (value->is_string()) return csv_cell(value->get_ref<const std::string&>());
  return csv_cell(value->dump());
}

/// Cuts one record off `text`.
std::vector<std::string> take_record(std::string_view& text) {
  std::vector<std::string> cells(1);
  enum class Inside { cell, quotes } inside = Inside::cell;
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (inside == Inside::quotes) {
      if (c != '"') {
        cells.back() += c;
      } else if (at + 1 < text.size() && text[at + 1] == '"') {
        cells.back() += text[++at];
      } else {
        inside = Inside::cell;
      }
    } else if (c == '"') {
      inside = Inside::quotes;
    } else if (c == ',') {
      cells.emplace_back();
    } else if (c == '\n') {
      break;
    } else if (c != '\r') {
      cells.back() += c;
    }
  }
  text.remove_prefix(std::min(at + 1, text.size()));
  return cells;
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

void place(Json& point, const std::vector<std::string>& path, Json value) {
  Json* at = &point;
  for (const std::string& key : path) at = &(*at)[key];
  *at = std::move(value);
}

}  // namespace

std::string csv_cell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

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
  std::vector<std::vector<std::string>> paths;
  for (const std::string& name : take_record(text)) paths.push_back(path_of(name));
  Json points = Json::array();
  for (std::size_t record = 2; !text.empty(); ++record) {
    const std::vector<std::string> cells = take_record(text);
    if (cells.size() != paths.size()) {
      throw InputError(std::string(origin) + ", record " + std::to_string(record) + ": " +
                       std::to_string(cells.size()) + " cells, expected " + std::to_string(paths.size()) +
                       " as in the header");
    }
    Json point = Json::object();
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (!cells[i].empty()) place(point, paths[i], value_of(cells[i]));
    }
    points.push_back(std::move(point));
  }
  return points;
}

}  // namespace tilemeter
