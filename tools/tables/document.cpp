#include "tools/tables/document.hpp"

#include <algorithm>
#include <cmath>

#include "tools/json.hpp"
#include "tools/tables/catalog.hpp"

namespace tilemeter::tables {
namespace {

constexpr int significant_digits = 5;

/// As many decimals as the value needs, up to five significant digits.
Cell real_cell(double value) {
  const double size = std::fabs(value);
  if (value != 0 && size < 1e-3) return Scientific{value};
  const int whole_digits = size < 1 ? 1 : static_cast<int>(std::floor(std::log10(size))) + 1;
  const int most = std::max(0, significant_digits - whole_digits);
  int decimals = 0;
  for (double scaled = size; decimals < most && std::fabs(scaled - std::round(scaled)) > 1e-9 * scaled; ++decimals) {
    scaled *= 10;
  }
  return Decimal{value, decimals};
}

Cell cell_of(const Json& value, const std::string& place) {
  if (value.is_null()) return {};
  if (value.is_number_integer()) return value.get<Count>();
  if (value.is_number()) return real_cell(value.get<double>());
  if (value.is_string()) return value.get<std::string>();
  throw InputError(place + ": " + value.dump() + " is no cell: expected a number, text or null");
}

MadeTable table_of(const Json& json, const std::string& origin) {
  const std::string place = origin + ", table " + json.at("name").get<std::string>();
  Table table;
  for (const Json& column : json.at("columns")) {
    table.columns.push_back({column.at("name").get<std::string>(), column.at("unit").get<std::string>()});
  }
  for (const Json& row : json.at("rows")) {
    if (row.size() != table.columns.size()) {
      throw InputError(place + ": " + std::to_string(row.size()) + " cells in a row, expected " +
                       std::to_string(table.columns.size()));
    }
    table.rows.emplace_back();
    for (const Json& value : row) table.rows.back().push_back(cell_of(value, place));
  }
  table.notes = json.at("notes").get<std::vector<std::string>>();
  table.failures = json.at("failures").get<std::vector<std::string>>();
  table.infeasible = json.at("infeasible_rows").get<Count>();
  return {find_table(json.at("name").get<std::string>()), std::move(table)};
}

}  // namespace

bool is_tables_document(std::string_view json_text) {
  constexpr std::size_t head = 100;
  return json_text.substr(0, head).find("\"tables\"") != std::string_view::npos;
}

std::vector<MadeTable> tables_of_document(std::string_view json_text, std::string_view origin) {
  try {
    std::vector<MadeTable> tables;
    const Json document = Json::parse(json_text);
    for (const Json& json : document.at("tables")) tables.push_back(table_of(json, std::string(origin)));
    return tables;
  } catch (const Json::exception& error) {
    throw InputError(std::string(origin) + ": expected the JSON that tilemeter tables wrote: " + error.what());
  }
}

}  // namespace tilemeter::tables
