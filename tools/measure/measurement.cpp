#include "tools/measure/measurement.hpp"

#include <algorithm>
#include <cctype>

#include "model/roofline.hpp"
#include "sim/catalog.hpp"
#include "tools/options/text.hpp"

namespace tilemeter {
namespace {

/// In small letters, without blanks and hyphens: "NVIDIA GeForce RTX 4090" is "nvidiageforcertx4090".
std::string compact(std::string_view text) {
  std::string letters;
  for (const char c : text) {
    if (c != ' ' && c != '-') letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return letters;
}

std::string words_of(std::string_view tensor, std::string_view direction, Elements counted, Elements ledger) {
  return std::string(tensor) + " " + std::string(direction) + " " + std::to_string(counted.value()) +
         " elements, the ledger " + std::to_string(ledger.value());
}

/// By family, number of SMs, and memory: data sheets state a little less than there is, error correction takes some.
bool may_be(const Device& device, const kernels::GpuInfo& gpu) {
  constexpr double least = 0.95, most = 1.1;
  const std::string_view family = split(device.name, '-').front();
  const double memory = static_cast<double>(gpu.memory_size.value()) / static_cast<double>(device.hbm.size.value());
  return compact(gpu.name).find(family) != std::string::npos && device.sm.count == gpu.sm_count && memory > least &&
         memory < most;
}

}  // namespace

std::string_view name_of(Regime regime) {
  switch (regime) {
    case Regime::cold:
      return "cold";
    case Regime::warm:
      return "warm";
    case Regime::sustained:
      return "sustained";
  }
  return "";
}

Flops useful_flops(const PointResult& bill) {
  const Computation computation = bill.request.algorithm->computation();
  const Count d = bill.problem.head_dim, d_v = bill.problem.head_dim_v;
  if (computation != Computation::attention && computation != Computation::gradients) return bill.counted.matmul_flops;
  const Count per_pair = 2 * (computation == Computation::gradients ? 3 * d + 2 * d_v : d + d_v);
  return named("pair_flops", [&] { return Flops(checked::multiply(bill.pairs, per_pair)); });
}

LaunchDemand demand_of(const PointResult& bill) {
  const Traffic total = bill.compulsory.total();
  return {.flops = useful_flops(bill), .compulsory = total.total_bytes(), .writes = total.write_bytes};
}

DevicePeaks peaks_of(const std::optional<Device>& device, DType type, const kernels::GpuInfo& gpu) {
  if (!device) return {.arithmetic_clock = gpu.clock_boost, .highest_clock = gpu.clock_boost, .l2 = gpu.l2_size};
  const Roofline roofline = roofline_of(*device, type);
  return {.arithmetic = roofline.peak,
          .arithmetic_clock = roofline.unit ? device->rate_clock(*roofline.unit, type) : device->clock.boost,
          .highest_clock = std::max(device->clock.boost, gpu.clock_boost),
          .hbm = device->hbm.bandwidth,
          .l2 = gpu.l2_size};
}

std::optional<std::string> difference(const Work& counted, const Work& ledger) {
  for (std::size_t i = 0; i < tensor_count; ++i) {
    const Traffic &own = counted.tensors[i], &expected = ledger.tensors[i];
    if (own.read != expected.read) return words_of(tensor_names[i], "read", own.read, expected.read);
    if (own.write != expected.write) return words_of(tensor_names[i], "write", own.write, expected.write);
    if (!(own == expected)) return std::string(tensor_names[i]) + " has another type than in the ledger";
  }
  if (counted.tiles == ledger.tiles) return std::nullopt;
  return std::to_string(counted.tiles) + " tiles visited, the ledger " + std::to_string(ledger.tiles);
}

std::optional<Device> shipped_device(const kernels::GpuInfo& gpu) {
  std::optional<Device> found;
  for (const std::string_view name : device_names()) {
    Device device = load_device(name);
    if (!may_be(device, gpu)) continue;
    if (found) return std::nullopt;
    found = std::move(device);
  }
  return found;
}

}  // namespace tilemeter
