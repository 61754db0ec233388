// The management library's clocks and power, as the timer asks for them.
#pragma once

#include "kernels/gpu_info.hpp"
#include "kernels/timer.hpp"

namespace tilemeter::kernels {

/// Reads the clocks and the power of `gpu`; null where the management library is missing.
ReadClocks clock_reader(const GpuInfo& gpu);

}  // namespace tilemeter::kernels
