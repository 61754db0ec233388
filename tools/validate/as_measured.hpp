// Counting a point as the program did that measured it.
#pragma once

#include "tools/point.hpp"

namespace tilemeter {

/// The count of `request` on its device, or its refusal. A device sets how many blocks run at once, and with that the
/// buffers of an accumulation in order, for which the measured run took what the program takes without a device.
PointResult evaluated_as_measured(const PointRequest& request);

}  // namespace tilemeter
