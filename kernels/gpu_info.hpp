// Which GPU, driver and toolkit a figure was measured with.
#pragma once

#include <string>

#include "model/units.hpp"

namespace tilemeter::kernels {

struct GpuInfo {
  std::string name;      ///< "NVIDIA H200"
  std::string bus_id;    ///< "0000:01:00.0"
  std::string driver;    ///< "580.159.04"; without NVML the newest CUDA version it can run, "CUDA 13.0"
  std::string toolkit;   ///< that this program was built with: "13.0"
  Count capability = 0;  ///< compute capability as major * 10 + minor
  Count sm_count = 0;
  Bytes l2_size;
  Bytes memory_size;
  Hertz clock_boost;  ///< highest SM clock
  bool ecc = false;
};

/// The current CUDA device. Throws CudaError.
GpuInfo gpu_info();

}  // namespace tilemeter::kernels
