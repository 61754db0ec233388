// One point measured: the gate, the kernel's counters beside the simulator's, and times.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/agreement.hpp"
#include "kernels/gpu_info.hpp"
#include "tools/command.hpp"
#include "tools/measure/plan.hpp"
#include "tools/point.hpp"
#include "traces/timing.hpp"

namespace tilemeter {

/// How a time was taken: the first launches of a rested GPU, or seconds of them back to back.
enum class Regime { cold, warm, sustained };
std::string_view name_of(Regime regime);

struct MeasuredTime {
  Regime regime = Regime::cold;
  TimeSummary summary;
  TimeVerdict verdict;
};

struct Measurement {
  MeasurePlan plan;
  PointResult bill;                      ///< the simulator's count and the closed form
  std::optional<std::string> refusal{};  ///< why nothing ran
  std::optional<std::string> failure{};  ///< what was wrong: numbers, counters, or a time that cannot be
  kernels::GateResult gate{};
  std::optional<Work> counted{};  ///< by the kernel's own counters
  std::vector<MeasuredTime> times{};
  std::optional<Count> profiled_kernels{};  ///< launched for a profiler, in the order of the points
};

/// What is common to the measurements of one run.
struct MeasureSetting {
  kernels::GpuInfo gpu;
  Arguments arguments{};
  std::string date;    ///< UTC, "2025-01-31T12:00:00Z"
  std::string commit;  ///< of the sources, or "unknown"
  std::uint64_t seed = 1;
  std::optional<Device> device{};       ///< whose peaks times are held against
  Bytes flush;                          ///< of a cold sample
  std::optional<Seconds> empty_cold{};  ///< what the protocol gives for a kernel that does nothing
  std::optional<Seconds> empty_warm{};
};

/// The FLOPs that the computation needs: of the visible pairs for attention, which masks reduce, and for its gradients
/// (five products, S among them: 2.5 times the forward pass at d = d_v, by convention); else of its products.
Flops useful_flops(const PointResult& bill);

/// What one launch does at the least.
LaunchDemand demand_of(const PointResult& bill);

/// Peaks of `device` for the point's type; nothing known without a device but the L2 of the GPU.
DevicePeaks peaks_of(const std::optional<Device>& device, DType type, const kernels::GpuInfo& gpu);

/// Where the kernel's counters and the ledger differ, in a line; nothing when they are equal in every tensor and in the
/// tiles visited.
std::optional<std::string> difference(const Work& counted, const Work& ledger);

/// The shipped device that `gpu` is, by name, number of SMs and memory; nothing when none or several are.
std::optional<Device> shipped_device(const kernels::GpuInfo& gpu);

}  // namespace tilemeter
