// GPU tests are skipped, with the reason, on a machine without a device.
#include "kernels/present.hpp"
#include "tests/support/precondition.hpp"

namespace {
[[maybe_unused]] const bool set = (precondition = tilemeter::kernels::missing_device, true);
}
