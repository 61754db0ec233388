// Counted points under the roofline of their device.
#pragma once

#include <string>
#include <vector>

#include "tools/command.hpp"
#include "tools/output/target.hpp"

namespace tilemeter::roofline {

/// What `roofline --algorithm` prints, and the checks that did not hold.
struct PointsOutput {
  std::string text;
  std::vector<std::string> failures;
};

/// Counts every point of the command line and holds it against its device: at the edge of the SM as counted, and at
/// device memory by its compulsory bytes, the least that any cache leaves. A tiling that does not fit is refused when
/// it is the only point, else kept without figures. Throws InputError.
PointsOutput points_output(const Arguments& arguments, Format format);

}  // namespace tilemeter::roofline
