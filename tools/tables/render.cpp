#include "tools/tables/render.hpp"

#include <algorithm>

#include "model/digits.hpp"
#include "tools/json.hpp"
#include "tools/output/lines.hpp"
#include "tools/report/report.hpp"
#include "traces/csv.hpp"

namespace tilemeter::tables {
namespace {

template <class... Functions>
struct Overload : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Overload(Functions...) -> Overload<Functions...>;

/// The shortest digits that give `value` back.
std::string shortest(double value) { return Json(value).dump(); }

std::string scientific(double value) { return scientific_digits(value, 3); }

/// `value` with separators in its whole part: "1,024.0", "-0.3".
std::string grouped(const Decimal& value) {
  std::string text = fixed(value.value, value.decimals);
  const std::size_t first = text.starts_with('-') ? 1 : 0;
  const std::size_t point = std::min(text.find('.'), text.size());
  for (std::size_t at = point; at > first + 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

Json cell_json(const Cell& cell) {
  return std::visit(Overload{[](std::monostate) { return Json(); }, [](Count value) { return Json(value); },
                             [](const Decimal& value) { return Json(value.value); },
                             [](const Scientific& value) { return Json(value.value); },
                             [](const std::string& words) { return Json(words); }},
                    cell);
}

std::string whole_text(const Cell& cell) {
  return std::visit(
      Overload{[](std::monostate) { return std::string(); }, [](Count value) { return std::to_string(value); },
               [](const Decimal& value) { return shortest(value.value); },
               [](const Scientific& value) { return shortest(value.value); },
               [](const std::string& words) { return csv_cell(words); }},
      cell);
}

/// One column of a table for people.
constexpr std::string_view verdict_title = "verdict";

struct Heading {
  std::size_t index = 0;
  std::string title;
  std::string unit;
  std::size_t width = 0;
  Side side = Side::right;
};

Side side_of(const Table& table, std::size_t index) {
  const auto is_words = [&](const auto& row) { return std::holds_alternative<std::string>(row[index]); };
  return std::any_of(table.rows.begin(), table.rows.end(), is_words) ? Side::left : Side::right;
}

std::vector<Heading> headings_of(const Table& table) {
  std::vector<Heading> headings;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const TableColumn& column = table.columns[i];
    std::size_t width = std::max(column.name.size(), column.unit.size());
    for (const auto& row : table.rows) width = std::max(width, cell_text(row.at(i)).size());
    headings.push_back({i, column.name, column.unit, width, side_of(table, i)});
  }
  return headings;
}

std::string text_of(const MadeTable& made) {
  const std::vector<Heading> headings = headings_of(made.table);
  std::string text = std::string(made.spec.name) + ": " + std::string(made.spec.title) + "\n\n" + title_line(headings);
  const auto has_unit = [](const Heading& heading) { return !heading.unit.empty(); };
  if (std::any_of(headings.begin(), headings.end(), has_unit)) {
    text += unit_line(headings);
  }
  for (const auto& row : made.table.rows) {
    text += table_line(headings, [&](const Heading& heading) {
      const std::string cell = cell_text(row[heading.index]);
      return heading.title == verdict_title ? styled_verdict(cell) : cell;
    });
  }
  text += "\nreference: " + std::string(made.spec.source) + "\n";
  if (made.table.infeasible > 0) text += infeasible_text(made.table) + "\n";
  for (const std::string& note : made.table.notes) text += "note: " + note + "\n";
  return text;
}

std::string md_of(const MadeTable& made) {
  const std::vector<Heading> headings = headings_of(made.table);
  std::string text =
      "## " + std::string(made.spec.name) + ": " + std::string(made.spec.title) + "\n\n" + md_head(headings);
  for (const auto& row : made.table.rows) {
    text += md_line(headings, [&](const Heading& heading) { return cell_text(row[heading.index]); });
  }
  text += "\n- reference: " + std::string(made.spec.source) + "\n";
  if (made.table.infeasible > 0) text += "- " + infeasible_text(made.table) + "\n";
  for (const std::string& note : made.table.notes) text += "- " + note + "\n";
  return text;
}

std::string titled(const TableColumn& column) {
  return column.name + (column.unit.empty() ? "" : " (" + column.unit + ")");
}

std::string wide_csv(const Table& table) {
  std::string text;
  for (const TableColumn& column : table.columns) text += (text.empty() ? "" : ",") + csv_cell(titled(column));
  text += "\n";
  for (const auto& row : table.rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) line += (i == 0 ? "" : ",") + whole_text(row[i]);
    text += line + "\n";
  }
  return text;
}

std::string long_csv(const std::vector<MadeTable>& tables) {
  std::string text = "table,row,column,unit,value\n";
  for (const MadeTable& made : tables) {
    for (std::size_t r = 0; r < made.table.rows.size(); ++r) {
      for (std::size_t c = 0; c < made.table.columns.size(); ++c) {
        const TableColumn& column = made.table.columns[c];
        text += std::string(made.spec.name) + "," + std::to_string(r + 1) + "," + csv_cell(column.name) + "," +
                csv_cell(column.unit) + "," + whole_text(made.table.rows[r][c]) + "\n";
      }
    }
  }
  return text;
}

Json table_json(const MadeTable& made) {
  Json columns = Json::array();
  for (const TableColumn& column : made.table.columns)
    columns.push_back({{"name", column.name}, {"unit", column.unit}});
  Json rows = Json::array();
  for (const auto& row : made.table.rows) {
    Json cells = Json::array();
    for (const Cell& cell : row) cells.push_back(cell_json(cell));
    rows.push_back(std::move(cells));
  }
  return {{"name", made.spec.name},          {"title", made.spec.title}, {"source", made.spec.source},
          {"columns", std::move(columns)},   {"rows", std::move(rows)},  {"infeasible_rows", made.table.infeasible},
          {"failures", made.table.failures}, {"notes", made.table.notes}};
}

Json json_of(const std::vector<MadeTable>& tables, const Arguments& arguments) {
  Json document = document_json("tables", arguments);
  document["tables"] = tables_json(tables);
  return document;
}

/// Each table by `one`, an empty line between them.
template <class One>
std::string apart(const std::vector<MadeTable>& tables, One one) {
  std::string text;
  for (const MadeTable& made : tables) text += (text.empty() ? "" : "\n") + one(made);
  return text;
}

}  // namespace

std::string cell_text(const Cell& cell) {
  return std::visit(
      Overload{[](std::monostate) { return std::string("-"); }, [](Count value) { return with_separators(value); },
               [](const Decimal& value) { return grouped(value); },
               [](const Scientific& value) { return scientific(value.value); },
               [](const std::string& words) { return words; }},
      cell);
}

Json tables_json(const std::vector<MadeTable>& tables) {
  Json list = Json::array();
  for (const MadeTable& made : tables) list.push_back(table_json(made));
  return list;
}

std::string infeasible_text(const Table& table) {
  if (table.infeasible == 0) return "";
  return std::to_string(table.infeasible) + " of " + std::to_string(table.rows.size()) + " rows do not fit";
}

std::string render(Format format, const std::vector<MadeTable>& tables, const Arguments& arguments) {
  switch (format) {
    case Format::table:
      return apart(tables, text_of);
    case Format::md:
      return apart(tables, md_of);
    case Format::csv:
      return tables.size() == 1 ? wide_csv(tables.front().table) : long_csv(tables);
    case Format::json:
      return json_of(tables, arguments).dump(2) + "\n";
    case Format::html:
      return render_report(json_of(tables, arguments).dump(), "tilemeter tables");
  }
  return {};
}

}  // namespace tilemeter::tables
