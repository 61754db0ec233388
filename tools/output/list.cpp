#include "tools/output/list.hpp"

#include "tools/output/csv.hpp"
#include "tools/output/figures.hpp"
#include "tools/output/number.hpp"

namespace tilemeter {
namespace {

ListFormat json_list(std::string_view command) {
  std::string head = document_json(command).dump();
  head.pop_back();
  return {head + ",\"points\":[\n",
          [](const Json& point, std::size_t index) { return (index == 0 ? "" : ",\n") + point.dump(); }, "\n]}\n"};
}

ListFormat csv_list() {
  return {csv_header(), [](const Json& point, std::size_t) { return csv_row(point); }, ""};
}

std::string aligned(const Figure& figure, std::string_view text) {
  return figure.side == Side::left ? pad_right(text, figure.width) : pad_left(text, figure.width);
}

/// One line of cells, which the caller takes from each figure.
template <class Cell>
std::string table_line(const std::vector<Figure>& figures, Cell cell) {
  std::string line;
  for (const Figure& figure : figures) line += (line.empty() ? "" : "  ") + aligned(figure, cell(figure));
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

ListFormat table_list(const std::vector<Figure>& figures) {
  return {table_line(figures, [](const Figure& figure) { return figure.title; }) +
              table_line(figures, [](const Figure& figure) { return figure.unit; }),
          [figures](const Json& point, std::size_t) {
            return table_line(figures, [&](const Figure& figure) { return figure.text(point); });
          },
          ""};
}

ListFormat md_list(const std::vector<Figure>& figures) {
  const auto line = [](const std::vector<Figure>& all, auto cell) {
    std::string text = "|";
    for (const Figure& figure : all) text += " " + cell(figure) + " |";
    return text + "\n";
  };
  return {
      line(figures,
           [](const Figure& figure) { return figure.title + (figure.unit.empty() ? "" : " (" + figure.unit + ")"); }) +
          line(figures, [](const Figure& figure) { return std::string(figure.side == Side::left ? ":--" : "--:"); }),
      [figures, line](const Json& point, std::size_t) {
        return line(figures, [&](const Figure& figure) { return figure.text(point); });
      },
      ""};
}

}  // namespace

ListFormat list_format(Format format, std::string_view command, const Grid& grid) {
  switch (format) {
    case Format::csv:
      return csv_list();
    case Format::json:
    case Format::html:
      return json_list(command);
    case Format::table:
      return table_list(figures_of(grid));
    case Format::md:
      return md_list(figures_of(grid));
  }
  return {};
}

}  // namespace tilemeter
