#include "tools/report/device_roofs.hpp"

#include "model/roofline.hpp"

namespace tilemeter {

nlohmann::ordered_json device_roofs(const Device& device) {
  nlohmann::ordered_json json;
  json["name"] = device.name;
  json["peaks"] = nlohmann::ordered_json::object();
  for (const DType math : math_types) {
    const Roofline roofline = roofline_of(device, math);
    if (!roofline.peak) continue;
    json["peaks"][std::string(math_name(math))] = {{"flop_per_second", roofline.peak->value},
                                                   {"unit", name_of(*roofline.unit)}};
  }
  json["levels"] = nlohmann::ordered_json::array();
  for (const Roof& roof : roofline_of(device, DType::fp16).roofs) {
    json["levels"].push_back({{"level", name_of(roof.level)}, {"bytes_per_second", roof.bandwidth.value}});
  }
  json["sustained_share"] = nullptr;
  if (const auto share = sustained_share(device)) json["sustained_share"] = *share;
  return json;
}

nlohmann::ordered_json shipped_roofs(const std::set<std::string>& names) {
  nlohmann::ordered_json roofs = nlohmann::ordered_json::array();
  for (const std::string_view name : device_names()) {
    if (names.contains(std::string(name))) roofs.push_back(device_roofs(load_device(name)));
  }
  return roofs;
}

}  // namespace tilemeter
