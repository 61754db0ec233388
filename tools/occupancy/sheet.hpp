// One row of occupancy in full.
#pragma once

#include <string>

#include "tools/occupancy/row.hpp"

namespace tilemeter {

/// Tiles, shared memory, registers, resident blocks, grid and notes of one block, as lines of text.
std::string occupancy_sheet(const OccupancyRow& row);

/// "flash2 attention" or the name of a layout.
std::string subject_of(const OccupancyRow& row);

/// "shared memory and registers".
std::string limiter_text(const OccupancyRow& row);

/// "(32, 1, 8)".
std::string grid_text(const LaunchGrid& grid);

}  // namespace tilemeter
