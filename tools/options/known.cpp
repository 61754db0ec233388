#include "tools/options/known.hpp"

#include <string>

#include "model/device.hpp"
#include "model/device_schema.hpp"
#include "model/kernel_description.hpp"
#include "sim/catalog.hpp"

namespace tilemeter {

std::vector<std::string_view> known_algorithms() {
  std::vector<std::string_view> names;
  for (const Algorithm& algorithm : algorithms()) names.push_back(algorithm.name);
  return names;
}

std::vector<std::string_view> known_devices() { return device_names(); }

std::vector<std::string_view> known_settings() {
  static const std::vector<std::string> settings = [] {
    std::vector<std::string> all;
    for (const std::string_view key : key_names()) all.push_back(std::string(key) + "=");
    return all;
  }();
  return {settings.begin(), settings.end()};
}

std::vector<std::string_view> known_descriptions() { return kernel_description_names(); }

}  // namespace tilemeter
