// The figures of a point that a table shows.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tools/json.hpp"
#include "tools/options/axis.hpp"
#include "tools/output/lines.hpp"

namespace tilemeter {

/// One column of a table for people.
struct Figure {
  std::string title;
  std::string unit;
  std::size_t width = 0;
  Side side = Side::right;
  std::function<std::string(const Json& point)> text;
};

/// What varies over the grid, a column an option.
std::vector<Figure> varying_figures(const PointGrid& grid);

/// The algorithm, what varies over the grid, the tile sizes, the traffic, and how it compares.
std::vector<Figure> figures_of(const PointGrid& grid);

/// "none", "causal", "window 256,0".
std::string mask_text(const Json& problem);

/// The capacity on chip: "50,000 el", "100.00 KiB", or "-".
std::string capacity_text(const Json& sram);

}  // namespace tilemeter
