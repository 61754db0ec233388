#include "model/device.hpp"

#include <algorithm>
#include <cassert>

#include "model/device_file.hpp"
#include "model/device_schema.hpp"
#include "model/probe_keys.hpp"
#include "model/quantity.hpp"
#include "model/shipped_devices.hpp"
#include "model/shipped_name.hpp"
#include "model/suggest.hpp"

namespace tilemeter {
namespace {

/// The shipped device called `name`, which a file calls its base.
Device shipped_named(std::string_view name, std::string_view origin) {
  for (const ShippedDevice& device : shipped_devices()) {
    if (device.name == name) return parse_device(device.toml, std::string(device.name) + ".toml");
  }
  throw InputError(std::string(origin) + ": base " + in_quotes(name) + ": unknown device" +
                   suggestion(name, device_names()) + "; the devices are: " + joined(device_names()));
}

}  // namespace

std::string_view name_of(ComputeUnit unit) {
  switch (unit) {
    case ComputeUnit::tensor:
      return "tensor";
    case ComputeUnit::mma:
      return "mma";
    case ComputeUnit::fma:
      return "fma";
    case ComputeUnit::exp:
      return "exp";
  }
  return "";
}

std::string rate_key(ComputeUnit unit, DType type) {
  return "rate." + std::string(name_of(unit)) + "." + std::string(name_of(type));
}

std::optional<OpsPerSecond> Device::rate(ComputeUnit unit, DType type) const {
  const auto own = rates.find({unit, type});
  if (own != rates.end()) return own->second;
  return unit == ComputeUnit::mma ? rate(ComputeUnit::tensor, type) : std::nullopt;
}

OpsPerSecond Device::require_rate(ComputeUnit unit, DType type) const {
  if (const auto known = rate(unit, type)) return *known;
  std::string types;
  for (const DType other : rate_types) {
    if (rate(unit, other)) types += " " + std::string(name_of(other));
  }
  throw InputError("device " + name + " has no " + rate_key(unit, type) + "; it has rates of " +
                   std::string(name_of(unit)) + " for:" + (types.empty() ? " none" : types) + "; add one with --set " +
                   rate_key(unit, type) + "=...");
}

Hertz Device::rate_clock(ComputeUnit unit, DType type) const {
  const bool matrix = unit == ComputeUnit::tensor || unit == ComputeUnit::mma;
  return matrix && type != DType::fp64 ? clock.tensor.value_or(clock.boost) : clock.boost;
}

std::optional<double> Device::per_sm_clock(ComputeUnit unit, DType type) const {
  const auto known = rate(unit, type);
  if (!known) return std::nullopt;
  return known->value / (static_cast<double>(sm.count) * rate_clock(unit, type).value);
}

Count Device::capability() const {
  constexpr std::size_t digits = 3;  // after "sm_"
  assert(arch.size() > digits);
  return std::stoll(arch.substr(digits));
}

Bytes Device::shared_taken(Bytes shared) const {
  const Count unit = capability() < 80 ? 256 : 128;
  return Bytes(checked::multiply(ceil_div((shared + sm.shared_reserved).value(), unit), unit));
}

std::optional<Count> Device::blocks_by_shared(Bytes shared) const {
  assert(shared >= Bytes(0));
  if (!fits_block(shared)) return 0;
  const Count each = shared_taken(shared).value();
  if (each == 0) return std::nullopt;
  return std::max(Count{1}, sm.shared_per_sm.value() / each);
}

std::vector<std::string_view> device_names() {
  std::vector<std::string_view> names;
  for (const ShippedDevice& device : shipped_devices()) names.push_back(device.name);
  return names;
}

Device parse_device(std::string_view toml, std::string_view origin) {
  if (const auto base = base_of(toml, origin)) {
    Device device = shipped_named(*base, origin);
    apply_overlay(device, toml, origin);
    return device;
  }
  return build_device(read_facts(toml, origin), origin);
}

Device load_device(std::string_view name_or_path, std::string_view asked_by) {
  if (is_toml_path(name_or_path)) {
    return parse_device(read_device_file(std::string(name_or_path), asked_by), name_or_path);
  }
  const ShippedDevice& device = shipped_devices()[shipped_index(asked_by, "device", name_or_path, device_names())];
  return parse_device(device.toml, std::string(device.name) + ".toml");
}

std::vector<DeviceFact> device_rows(const Device& device) {
  std::vector<DeviceFact> rows;
  for (const KeyRule& rule : key_rules()) {
    const auto fact =
        std::find_if(device.facts.begin(), device.facts.end(), [&](const DeviceFact& f) { return f.key == rule.key; });
    if (fact != device.facts.end()) {
      rows.push_back(*fact);
    } else if (rule.key.substr(0, 5) != "rate." && !is_below_probe(rule.key)) {
      rows.push_back({.key = rule.key, .value = "unknown", .source = ""});
    }
  }
  for (const DeviceFact& fact : device.facts) {
    if (is_below_fit(fact.key)) rows.push_back(fact);
  }
  return rows;
}

}  // namespace tilemeter
