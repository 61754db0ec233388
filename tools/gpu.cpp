#include "tools/gpu.hpp"

namespace tilemeter {

Json gpu_json(const kernels::GpuInfo& gpu) {
  Json json;
  json["name"] = gpu.name;
  json["driver"] = gpu.driver;
  json["toolkit"] = gpu.toolkit;
  json["capability"] = gpu.capability;
  json["sm_count"] = gpu.sm_count;
  json["l2_bytes"] = gpu.l2_size.value();
  json["memory_bytes"] = gpu.memory_size.value();
  json["boost_hertz"] = gpu.clock_boost.value;
  json["ecc"] = gpu.ecc;
  return json;
}

}  // namespace tilemeter
