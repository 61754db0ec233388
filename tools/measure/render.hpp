// Measurements in every format.
#pragma once

#include <string>

#include "tools/measure/json.hpp"
#include "tools/options/axis.hpp"
#include "tools/output/target.hpp"

namespace tilemeter {

/// A document of `measure_document`; tables show what varies over `grid`. A failed point shows its failure and no time.
std::string render_measurements(Format format, const Json& document, const PointGrid& grid);

}  // namespace tilemeter
