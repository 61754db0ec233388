#include "tools/commands/answers.hpp"

#include <algorithm>

#include "tools/output/columns.hpp"
#include "tools/time/render.hpp"
#include "tools/tune/csv.hpp"

namespace tilemeter {
namespace {

/// The points of a document, or the one that stands at its top.
Json points_in(const Json& document) {
  const auto points = document.find("points");
  return points == document.end() ? Json::array({document}) : *points;
}

}  // namespace

Json table_of(const Json& document) {
  const Json* named = document.is_object() && document.contains("command") ? &document["command"] : nullptr;
  const std::string command = named != nullptr && named->is_string() ? named->get<std::string>() : "";
  if (command == "tune") return tune_table(document);
  if (command != "count" && command != "sweep" && command != "predict") {
    throw InputError("a document of \"" + command +
                     "\" has no columns here: expected one of count, sweep, predict, tune");
  }
  const std::vector<Column> columns = command == "predict" ? predict_columns() : point_columns();
  Json table{{"columns", names_of(columns)}, {"rows", Json::array()}};
  for (const Json& point : points_in(document)) table["rows"].push_back(row_of(point, columns));
  return table;
}

}  // namespace tilemeter
