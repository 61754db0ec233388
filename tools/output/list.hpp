// Lists of points in each format, row by row.
#pragma once

#include <functional>
#include <string>

#include "tools/json.hpp"
#include "tools/options/axis.hpp"
#include "tools/output/target.hpp"

namespace tilemeter {

/// A list as text: head, then one row a point in order, then tail.
struct ListFormat {
  std::string head;
  std::function<std::string(const Json& point, std::size_t index)> row;
  std::string tail;
};

/// The roofs of the devices of a grid, as they were changed by --set; empty without devices.
Json grid_devices(const PointGrid& grid);

/// The document of a list, without its points.
Json list_document(std::string_view command, const Arguments& arguments, const PointGrid& grid);

/// The list of the points of `document`. Tables and md show what varies over `grid` and the figures that matter; csv
/// and json hold everything. Format::html gives the JSON that the page is made from.
ListFormat list_format(Format format, const Json& document, const PointGrid& grid);

}  // namespace tilemeter
