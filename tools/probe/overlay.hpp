// A run of the probes as a device file that changes a shipped device.
#pragma once

#include <string>

#include "model/device.hpp"
#include "tools/probe/run.hpp"

namespace tilemeter {

/// The overlay: `base` by name; the quantities of the device that the figures determine (bandwidths, and rates as
/// operations per clock x SMs x the clock at which the device states them); and every figure. Each has value, source,
/// interval, clock, date and command. `load_device` reads it.
std::string overlay_text(const ProbeRun& run, const Device& base);

}  // namespace tilemeter
