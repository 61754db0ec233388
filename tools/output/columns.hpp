// The columns of a CSV file: JSON paths of a point, the same in every file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/json.hpp"

namespace tilemeter {

/// One column: its path in a point, joined by `_` to its name.
struct Column {
  std::vector<std::string> path;
  std::string name;
};

/// The columns of paths with '/' between their parts and blanks between them; a part '@' stands for each tensor.
std::vector<Column> columns_of(std::string_view paths);

/// Every column, whatever the points: a value that a point lacks is an empty cell.
const std::vector<Column>& point_columns();

/// Their names, in a list.
Json names_of(const std::vector<Column>& columns);

/// The value at `path`, or nullptr.
const Json* find_path(const Json& point, const std::vector<std::string>& path);

/// The values of a point in `columns`, in a list: null where it has none, a list or table as its JSON text.
Json row_of(const Json& point, const std::vector<Column>& columns);

/// A cell of CSV: empty for nothing and null, a list of words joined by '+'.
std::string csv_cell_of(const Json* value);

/// A heading, and a line for each of `rows`, of the columns of `paths`.
std::string csv_of(const Json& rows, std::string_view paths);

}  // namespace tilemeter
