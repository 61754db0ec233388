// The columns of a CSV file: JSON paths of a point, the same in every file.
#pragma once

#include <string>
#include <vector>

#include "tools/json.hpp"

namespace tilemeter {

/// One column: its path in a point, joined by `_` to its name.
struct Column {
  std::vector<std::string> path;
  std::string name;
};

/// Every column, whatever the points: a value that a point lacks is an empty cell.
const std::vector<Column>& point_columns();

/// The value at `path`, or nullptr.
const Json* find_path(const Json& point, const std::vector<std::string>& path);

}  // namespace tilemeter
