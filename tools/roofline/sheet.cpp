#include "tools/roofline/sheet.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "model/quantity.hpp"
#include "tools/output/lines.hpp"
#include "traces/csv.hpp"

namespace tilemeter::roofline {
namespace {

struct SheetHeading {
  std::size_t index = 0;
  std::string title;
  std::string unit;
  std::size_t width = 0;
  Side side = Side::right;
};

std::vector<SheetHeading> headings_of(const Sheet& sheet) {
  std::vector<SheetHeading> headings;
  for (std::size_t i = 0; i < sheet.columns.size(); ++i) {
    const SheetColumn& column = sheet.columns[i];
    SheetHeading heading{.index = i, .title = column.title, .unit = column.unit};
    heading.width = std::max(column.title.size(), column.unit.size());
    for (const auto& row : sheet.rows) {
      heading.width = std::max(heading.width, row.at(i).text.size());
      if (std::holds_alternative<std::string>(row[i].value)) heading.side = Side::left;
    }
    headings.push_back(std::move(heading));
  }
  return headings;
}

std::string table_text(const Sheet& sheet) {
  const auto headings = headings_of(sheet);
  std::string text = sheet.title + "\n\n" + title_line(headings) + unit_line(headings);
  for (const auto& row : sheet.rows) {
    text += table_line(headings, [&](const SheetHeading& h) { return row[h.index].text; });
  }
  if (!sheet.notes.empty()) text += "\n";
  for (const std::string& note : sheet.notes) text += "note: " + note + "\n";
  return text;
}

std::string md_text(const Sheet& sheet) {
  const auto headings = headings_of(sheet);
  std::string text = "## " + sheet.title + "\n\n" + md_head(headings);
  for (const auto& row : sheet.rows) {
    text += md_line(headings, [&](const SheetHeading& h) { return row[h.index].text; });
  }
  if (!sheet.notes.empty()) text += "\n";
  for (const std::string& note : sheet.notes) text += "- " + note + "\n";
  return text;
}

/// The shortest digits that give `value` back.
std::string shortest(double value) {
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return {buffer.data(), end};
}

std::string csv_value(const SheetValue& value) {
  if (const auto* whole = std::get_if<Count>(&value)) return std::to_string(*whole);
  if (const auto* number = std::get_if<double>(&value)) return shortest(*number);
  if (const auto* text = std::get_if<std::string>(&value)) return csv_cell(*text);
  return "";
}

std::string csv_text(const Sheet& sheet) {
  std::string text;
  for (const SheetColumn& column : sheet.columns) text += (text.empty() ? "" : ",") + csv_cell(column.key);
  text += "\n";
  for (const auto& row : sheet.rows) {
    std::string line;
    for (const SheetCell& cell : row) line += (&cell == &row.front() ? "" : ",") + csv_value(cell.value);
    text += line + "\n";
  }
  return text;
}

}  // namespace

SheetCell words(std::string text) { return {.value = text, .text = text}; }
SheetCell count(Count value) { return {.value = value, .text = with_separators(value)}; }
SheetCell unknown() { return {.value = {}, .text = "unknown"}; }
SheetCell nothing() { return {.value = {}, .text = "-"}; }

SheetCell real(std::optional<double> value, int decimals) {
  return value ? SheetCell{.value = *value, .text = fixed(*value, decimals)} : unknown();
}

SheetCell share(std::optional<double> value) {
  return value ? SheetCell{.value = *value, .text = fixed(*value * 100, *value < 0.001 ? 4 : 2) + " %"} : unknown();
}

SheetCell time(std::optional<Seconds> value) {
  return value ? SheetCell{.value = value->value, .text = to_text(*value)} : unknown();
}

std::string sheet_text(const Sheet& sheet, Format format) {
  if (format == Format::md) return md_text(sheet);
  if (format == Format::csv) return csv_text(sheet);
  return table_text(sheet);
}

}  // namespace tilemeter::roofline
