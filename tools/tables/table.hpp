// A reference table as data: what it is called, its columns with units, its rows, and the checks that failed.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/units.hpp"

namespace tilemeter::tables {

/// A real number shown with a fixed number of decimals; JSON and CSV give it whole.
struct Decimal {
  double value = 0;
  int decimals = 0;
};

/// A real number shown as 5.55e-16.
struct Scientific {
  double value = 0;
};

/// Nothing, an exact integer, a real number, or words.
using Cell = std::variant<std::monostate, Count, Decimal, Scientific, std::string>;

struct TableColumn {
  std::string name;
  std::string unit;  ///< empty for words and ratios
};

struct Table {
  std::vector<TableColumn> columns;
  std::vector<std::vector<Cell>> rows;
  std::vector<std::string> notes;
  Count infeasible = 0;               ///< rows whose tiles do not fit their budget
  std::vector<std::string> failures;  ///< checks that did not hold, with row and figures
};

/// A table that can be made, by name.
struct TableSpec {
  std::string_view name;
  std::string_view title;
  std::string_view source;  ///< whose figures stand beside ours
  Table (*make)() = nullptr;
};

/// A table that was made, with what it is called.
struct MadeTable {
  TableSpec spec;
  Table table;
};

}  // namespace tilemeter::tables
