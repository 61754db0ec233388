// The memory on chip of a point as JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "tools/point.hpp"

namespace tilemeter {

/// {"placement", "peak_elements", "peak_bytes", "capacity_elements", "capacity_bytes", "fits", "tiles": [...]}; the gpu
/// placement adds bytes of shared memory and registers apart, a device the resident blocks by shared memory.
nlohmann::ordered_json sram_json(const PointResult& result);

}  // namespace tilemeter
