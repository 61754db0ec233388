// The roofline of a device: its peak, the bandwidth of each memory level, and the bound they set on an operation.
// Williams, Waterman and Patterson, "Roofline", 2009.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "model/device.hpp"

namespace tilemeter {

/// A memory whose bandwidth bounds an operation: device memory, or the L2 that serves the edge of the SM.
enum class MemoryLevel { hbm, l2 };
std::string_view name_of(MemoryLevel level);

/// Types that a roofline can be drawn for: those of rates, and 8-bit integers, which DType calls u8.
inline constexpr std::array<DType, 6> math_types = {DType::fp64, DType::fp32, DType::fp16,
                                                    DType::bf16, DType::fp8,  DType::u8};
/// The name of a type of arithmetic: "int8" for u8, else as `name_of`.
std::string_view math_name(DType type);

/// The share of device memory's peak that large transfers reach, from hbm.sustained of the device file; unknown where
/// that is not given.
std::optional<double> sustained_share(const Device& device);

/// One slanted roof.
struct Roof {
  MemoryLevel level = MemoryLevel::hbm;
  BytesPerSecond bandwidth;
};

/// The roofs of a device for arithmetic in one type.
struct Roofline {
  DType math = DType::fp16;
  std::optional<OpsPerSecond> peak;                ///< unknown where no document states it
  std::optional<ComputeUnit> unit = std::nullopt;  ///< what the peak is of
  std::vector<Roof> roofs;                         ///< device memory first; the L2 where its bandwidth is known
  std::optional<Seconds> floor = std::nullopt;     ///< added once to every time; absent is none

  /// The roof of a level, or nullptr when its bandwidth is unknown.
  const Roof* roof(MemoryLevel level) const;
  /// Peak over bandwidth: FLOP/B from which the level no longer bounds. nullopt when either is unknown.
  std::optional<double> ridge(MemoryLevel level) const;
};

/// The roofline of `device`: matrix rate of `math`, or the scalar multiply-add rate where no matrix unit takes the type
/// (fp32 on every GPU, fp64 on V100).
Roofline roofline_of(const Device& device, DType math);

/// The same with device memory at `share` of its bandwidth. The other roofs and the peak stay.
Roofline at_share(Roofline roofline, double share);

/// What an operation does: FLOPs, and bytes that cross each level. `l2` is absent where only device memory is known.
struct Cost {
  Flops flops;
  Bytes hbm;
  std::optional<Bytes> l2 = std::nullopt;

  std::optional<Bytes> bytes(MemoryLevel level) const;
};

/// FLOP per byte. nullopt without bytes.
std::optional<double> intensity(Flops flops, Bytes bytes);

/// What sets the time: `unknown` when the peak is not known, `none` when there is nothing to do.
enum class Binding { arithmetic, hbm, l2, none, unknown };
std::string_view name_of(Binding binding);

/// The least time of an operation: floor + max(FLOPs / peak, bytes / bandwidth over the known levels).
struct TimeBound {
  std::optional<Seconds> seconds;  ///< unknown when the peak is, and there are FLOPs
  Binding binding = Binding::none;
};
TimeBound time_bound(const Roofline& roofline, const Cost& cost);

/// FLOP/s that the roof of `level` allows at `flop_per_byte`: min(peak, intensity x bandwidth). nullopt when unknown.
std::optional<OpsPerSecond> attainable(const Roofline& roofline, MemoryLevel level, double flop_per_byte);

/// The share of the peak that all known levels together leave to `cost`, 0 to 1; 0 without FLOPs, nullopt when unknown.
std::optional<double> attainable_share(const Roofline& roofline, const Cost& cost);

/// Bandwidth of a memory bus. 256 bits, 5005 MHz, two transfers a clock: 320.32 GB/s.
BytesPerSecond bus_bandwidth(Count bits, Hertz clock, Count transfers_per_clock);

}  // namespace tilemeter
