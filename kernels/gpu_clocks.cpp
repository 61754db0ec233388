#include "kernels/gpu_clocks.hpp"

#include "kernels/nvml.hpp"

namespace tilemeter::kernels {
namespace {

constexpr std::uint64_t power_cap = 0x4;  // NVML reference manual, nvmlClocksEventReasonSwPowerCap

template <class Quantity>
std::optional<Quantity> as(const std::optional<double>& value) {
  if (!value) return std::nullopt;
  return Quantity{*value};
}

ClockReading reading_of(const ClockSample& sample) {
  const std::uint64_t reasons = sample.reasons.value_or(0);
  return {.sm_clock = as<Hertz>(sample.sm_hertz),
          .memory_clock = as<Hertz>(sample.memory_hertz),
          .power = as<Watts>(sample.watts),
          .joules = sample.joules,
          .power_capped = (reasons & power_cap) != 0,
          .slowed_down = holds_clock_down(reasons & ~power_cap)};
}

}  // namespace

ReadClocks clock_reader(const GpuInfo& gpu) {
  try {
    return [nvml = Nvml(gpu.bus_id)] { return reading_of(nvml.sample()); };
  } catch (const NvmlError&) {
    return nullptr;
  }
}

}  // namespace tilemeter::kernels
