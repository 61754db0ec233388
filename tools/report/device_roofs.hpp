// The roofs of devices as JSON: what the roofline chart of a page is drawn from.
#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "model/device.hpp"

namespace tilemeter {

/// {"name", "peaks": {type: {"flop_per_second", "unit"}}, "levels": [{"level", "bytes_per_second"}],
/// "sustained_share"}; a level or type whose rate is unknown is left out, an unknown share is null.
nlohmann::ordered_json device_roofs(const Device& device);

/// The roofs of those of `names` that are shipped devices, under their own names; other names are passed over.
nlohmann::ordered_json shipped_roofs(const std::set<std::string>& names);

}  // namespace tilemeter
