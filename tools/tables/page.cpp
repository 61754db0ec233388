#include "tools/tables/page.hpp"

#include "tools/tables/render.hpp"

namespace tilemeter::tables {
namespace {

constexpr std::string_view style =
    ":root { color-scheme: light dark; }\n"
    "body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem; }\n"
    "section { overflow-x: auto; margin-bottom: 2.5rem; }\n"
    "table { border-collapse: collapse; font-variant-numeric: tabular-nums; }\n"
    "th, td { padding: .2rem .7rem; border-bottom: 1px solid #8884; white-space: nowrap; text-align: right; }\n"
    ".words { text-align: left; }\n"
    "tr.differs, tr.unfit { background: #c4302b22; }\n"
    "small { font-weight: normal; }\n";

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

bool is_words(const Cell& cell) { return std::holds_alternative<std::string>(cell); }

std::string head_row(const Table& table) {
  std::string row = "<thead><tr>";
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const TableColumn& column = table.columns[i];
    row += !table.rows.empty() && is_words(table.rows.front()[i]) ? "<th class=\"words\">" : "<th>";
    row += escaped(column.name);
    if (!column.unit.empty()) row += "<br><small>" + escaped(column.unit) + "</small>";
    row += "</th>";
  }
  return row + "</tr></thead>\n";
}

/// Rows that failed or do not fit stand out.
std::string row_start(const std::vector<Cell>& cells) {
  const auto* verdict = cells.empty() ? nullptr : std::get_if<std::string>(&cells.back());
  if (verdict != nullptr && verdict->find("DIFFERS") != std::string::npos) return "<tr class=\"differs\">";
  if (verdict != nullptr && verdict->find("does not fit") != std::string::npos) return "<tr class=\"unfit\">";
  return "<tr>";
}

std::string cells_of(const std::vector<Cell>& cells) {
  std::string row = row_start(cells);
  for (const Cell& cell : cells) {
    row += is_words(cell) ? "<td class=\"words\">" : "<td>";
    row += escaped(cell_text(cell)) + "</td>";
  }
  return row + "</tr>\n";
}

std::string section_of(const MadeTable& made) {
  std::string section = "<section id=\"" + std::string(made.spec.name) + "\">\n<h2>" + escaped(made.spec.name) + ": " +
                        escaped(made.spec.title) + "</h2>\n<table>\n" + head_row(made.table) + "<tbody>\n";
  for (const auto& row : made.table.rows) section += cells_of(row);
  section += "</tbody>\n</table>\n<p>reference: " + escaped(made.spec.source) +
             (made.table.infeasible > 0 ? "; " + infeasible_text(made.table) : "") + "</p>\n<ul>\n";
  for (const std::string& note : made.table.notes) section += "<li>" + escaped(note) + "</li>\n";
  return section + "</ul>\n</section>\n";
}

}  // namespace

std::string page_of(const std::vector<MadeTable>& tables, std::string_view title) {
  std::string page = "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>" + escaped(title) +
                     "</title>\n<style>\n" + std::string(style) + "</style>\n<h1>" + escaped(title) + "</h1>\n";
  for (const MadeTable& made : tables) page += section_of(made);
  return page + "</html>\n";
}

}  // namespace tilemeter::tables
