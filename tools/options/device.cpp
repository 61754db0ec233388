#include "tools/options/device.hpp"

namespace tilemeter {

std::vector<std::string> device_settings(const Arguments& arguments) {
  std::vector<std::string> settings;
  for (const Arguments::Given& given : arguments.options()) {
    if (given.option == "--set") settings.push_back(given.value);
  }
  return settings;
}

Device changed_device(std::string_view name, const Arguments& arguments, std::string_view asked_by) {
  Device device = load_device(name, asked_by);
  apply_settings(device, device_settings(arguments));
  return device;
}

Device measured_device(const Arguments& arguments, std::string_view who) {
  if (const auto name = arguments.find("--device")) return changed_device(*name, arguments);
  throw InputError(std::string(who) +
                   " needs --device NAME or FILE.toml, the GPU that was measured; `tilemeter devices` lists the names");
}

}  // namespace tilemeter
