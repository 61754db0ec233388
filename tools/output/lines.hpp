// Lines of tables for people: aligned text and Markdown.
#pragma once

#include <string>
#include <string_view>

#include "tools/output/colour.hpp"
#include "tools/output/number.hpp"

namespace tilemeter {

enum class Side { left, right };

/// One line of cells, two blanks apart; `cell` gives the text of each heading, which has a `width` and a `side`.
template <class Headings, class Cell>
std::string table_line(const Headings& headings, Cell cell) {
  std::string line;
  for (const auto& heading : headings) {
    const std::string text = cell(heading);
    line += (&heading == &*headings.begin() ? "" : "  ") +
            (heading.side == Side::left ? pad_right(text, heading.width) : pad_left(text, heading.width));
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

/// A whole line in a style.
inline std::string styled_line(Style style, std::string_view line) {
  return styled(style, line.substr(0, line.size() - 1)) + "\n";
}

/// The line of titles above a table.
template <class Headings>
std::string title_line(const Headings& headings) {
  return styled_line(Style::heading, table_line(headings, [](const auto& heading) { return heading.title; }));
}

/// The line of units below it.
template <class Headings>
std::string unit_line(const Headings& headings) {
  return styled_line(Style::unit, table_line(headings, [](const auto& heading) { return heading.unit; }));
}

/// One line of a Markdown table.
template <class Headings, class Cell>
std::string md_line(const Headings& headings, Cell cell) {
  std::string line = "|";
  for (const auto& heading : headings) line += " " + std::string(cell(heading)) + " |";
  return line + "\n";
}

/// The first two lines of a Markdown table: titles with units, and the sides.
template <class Headings>
std::string md_head(const Headings& headings) {
  return md_line(headings,
                 [](const auto& heading) {
                   return heading.title + (heading.unit.empty() ? "" : " (" + heading.unit + ")");
                 }) +
         md_line(headings, [](const auto& heading) { return heading.side == Side::left ? ":--" : "--:"; });
}

}  // namespace tilemeter
