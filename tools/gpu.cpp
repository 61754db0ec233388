#include "tools/gpu.hpp"

#include <array>
#include <ctime>

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

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text.data();
}

}  // namespace tilemeter
