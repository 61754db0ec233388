#include "model/roofline.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "model/quantity.hpp"

namespace tilemeter {
namespace {

constexpr std::array levels = {MemoryLevel::hbm, MemoryLevel::l2};

Binding binding_of(MemoryLevel level) { return level == MemoryLevel::hbm ? Binding::hbm : Binding::l2; }

}  // namespace

std::string_view name_of(MemoryLevel level) { return level == MemoryLevel::hbm ? "hbm" : "l2"; }

std::string_view math_name(DType type) { return type == DType::u8 ? "int8" : name_of(type); }

std::optional<double> sustained_share(const Device& device) {
  constexpr std::string_view key = "hbm.sustained";
  for (const DeviceFact& fact : device.facts) {
    if (fact.key == key) return parse_share(fact.value, key);
  }
  return std::nullopt;
}

std::string_view name_of(Binding binding) {
  switch (binding) {
    case Binding::arithmetic:
      return "arithmetic";
    case Binding::hbm:
      return "hbm";
    case Binding::l2:
      return "l2";
    case Binding::none:
      return "none";
    case Binding::unknown:
      return "unknown";
  }
  return "";
}

const Roof* Roofline::roof(MemoryLevel level) const {
  const auto found = std::find_if(roofs.begin(), roofs.end(), [&](const Roof& roof) { return roof.level == level; });
  return found == roofs.end() ? nullptr : &*found;
}

std::optional<double> Roofline::ridge(MemoryLevel level) const {
  const Roof* slope = roof(level);
  if (!peak || slope == nullptr) return std::nullopt;
  return peak->value / slope->bandwidth.value;
}

Roofline roofline_of(const Device& device, DType math) {
  Roofline roofline;
  roofline.math = math;
  for (const ComputeUnit unit : {ComputeUnit::tensor, ComputeUnit::fma}) {
    roofline.peak = device.rate(unit, math);
    if (!roofline.peak) continue;
    roofline.unit = unit;
    break;
  }
  roofline.roofs.push_back({MemoryLevel::hbm, device.hbm.bandwidth});
  if (device.l2.bandwidth) roofline.roofs.push_back({MemoryLevel::l2, *device.l2.bandwidth});
  return roofline;
}

Roofline at_share(Roofline roofline, double share) {
  for (Roof& roof : roofline.roofs) {
    if (roof.level == MemoryLevel::hbm) roof.bandwidth.value *= share;
  }
  return roofline;
}

std::optional<Bytes> Cost::bytes(MemoryLevel level) const { return level == MemoryLevel::hbm ? hbm : l2; }

std::optional<double> intensity(Flops flops, Bytes bytes) {
  if (bytes.value() == 0) return std::nullopt;
  return static_cast<double>(flops.value()) / static_cast<double>(bytes.value());
}

TimeBound time_bound(const Roofline& roofline, const Cost& cost) {
  if (cost.flops.value() > 0 && !roofline.peak) return {std::nullopt, Binding::unknown};
  Seconds longest;
  Binding binding = Binding::none;
  const auto take = [&](Seconds time, Binding by) {
    if (time <= longest) return;
    longest = time;
    binding = by;
  };
  if (roofline.peak) take(cost.flops / *roofline.peak, Binding::arithmetic);
  for (const MemoryLevel level : levels) {
    const Roof* roof = roofline.roof(level);
    const auto bytes = cost.bytes(level);
    if (roof != nullptr && bytes) take(*bytes / roof->bandwidth, binding_of(level));
  }
  return {Seconds{longest.value + roofline.floor.value_or(Seconds{}).value}, binding};
}

std::optional<OpsPerSecond> attainable(const Roofline& roofline, MemoryLevel level, double flop_per_byte) {
  const Roof* roof = roofline.roof(level);
  if (!roofline.peak || roof == nullptr) return std::nullopt;
  return OpsPerSecond{std::min(roofline.peak->value, flop_per_byte * roof->bandwidth.value)};
}

std::optional<double> attainable_share(const Roofline& roofline, const Cost& cost) {
  if (!roofline.peak) return std::nullopt;
  if (cost.flops.value() == 0) return 0;
  double share = 1;
  for (const MemoryLevel level : levels) {
    const auto bytes = cost.bytes(level);
    const auto ridge = roofline.ridge(level);
    if (!bytes || bytes->value() == 0 || !ridge) continue;
    share = std::min(share, *intensity(cost.flops, *bytes) / *ridge);
  }
  return share;
}

BytesPerSecond bus_bandwidth(Count bits, Hertz clock, Count transfers_per_clock) {
  return {static_cast<double>(bits) / 8 * clock.value * static_cast<double>(transfers_per_clock)};
}

}  // namespace tilemeter
