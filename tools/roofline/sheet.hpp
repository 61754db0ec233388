// Results of the roofline as rows of named figures: one list of cells for people and for programs.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "model/units.hpp"
#include "tools/output/target.hpp"

namespace tilemeter::roofline {

/// A column: its key in JSON and CSV, which carries the unit, and its heading and unit for people.
struct SheetColumn {
  std::string key;
  std::string title;
  std::string unit;
};

/// The exact value of a figure; nothing where it is unknown or has no meaning.
using SheetValue = std::variant<std::monostate, Count, double, std::string>;

/// One figure: its value, and the text of a table.
struct SheetCell {
  SheetValue value;
  std::string text;
};

struct Sheet {
  std::string title;
  std::vector<SheetColumn> columns;
  std::vector<std::vector<SheetCell>> rows;  ///< each as long as `columns`
  std::vector<std::string> notes;
};

SheetCell words(std::string text);
SheetCell count(Count value);
/// A real number with `decimals` digits in tables; unknown when absent.
SheetCell real(std::optional<double> value, int decimals);
/// A share of one, in per cent in tables.
SheetCell share(std::optional<double> value);
/// Seconds in JSON; "12.8 us" in tables.
SheetCell time(std::optional<Seconds> value);
SheetCell unknown();
SheetCell nothing();

/// The sheet as aligned text, Markdown or CSV. JSON and HTML are documents that hold more than the sheet.
std::string sheet_text(const Sheet& sheet, Format format);

}  // namespace tilemeter::roofline
