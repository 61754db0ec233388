#include "kernels/gpu_info.hpp"

#include "kernels/check.hpp"
#include "kernels/nvml.hpp"

namespace tilemeter::kernels {
namespace {

/// 13000 is "13.0".
std::string cuda_version(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string driver_version(const std::string& bus_id) {
  try {
    return Nvml(bus_id).driver();
  } catch (const NvmlError&) {
    int version = 0;
    TILEMETER_CHECK(cudaDriverGetVersion(&version));
    return "CUDA " + cuda_version(version);
  }
}

int attribute(cudaDeviceAttr name, int device) {
  int value = 0;
  TILEMETER_CHECK(cudaDeviceGetAttribute(&value, name, device));
  return value;
}

}  // namespace

GpuInfo gpu_info() {
  int device = 0;
  TILEMETER_CHECK(cudaGetDevice(&device));
  cudaDeviceProp properties{};
  TILEMETER_CHECK(cudaGetDeviceProperties(&properties, device));
  char bus_id[32] = {};
  TILEMETER_CHECK(cudaDeviceGetPCIBusId(bus_id, sizeof bus_id, device));
  return {.name = properties.name,
          .bus_id = bus_id,
          .driver = driver_version(bus_id),
          .toolkit = cuda_version(CUDART_VERSION),
          .capability = properties.major * 10 + properties.minor,
          .sm_count = properties.multiProcessorCount,
          .l2_size = Bytes(properties.l2CacheSize),
          .memory_size = Bytes(static_cast<Count>(properties.totalGlobalMem)),
          .clock_boost = {1e3 * attribute(cudaDevAttrClockRate, device)},
          .ecc = properties.ECCEnabled != 0};
}

}  // namespace tilemeter::kernels
