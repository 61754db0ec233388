// The best tilings of one algorithm on one problem within one budget.
#pragma once

#include <cstddef>
#include <vector>

#include "model/hardware_candidates.hpp"
#include "model/tiling_rule.hpp"
#include "model/traffic_front.hpp"
#include "tools/point.hpp"

namespace tilemeter {

/// What the best tilings have least of.
enum class TuneBy { traffic, time };

/// What `tune` is asked beside the point.
struct TuneOptions {
  TuneBy by = TuneBy::traffic;
  std::size_t top = 5;        ///< tilings in the list of the best
  std::size_t simulate = 16;  ///< with TuneBy::time the most candidates that the engine runs
  std::vector<Count> warps = {4, 8};
};

struct TuneResult {
  PointResult point;         ///< of the best tiling, or with the refusal when none fits; billed, not counted
  std::vector<Count> warps;  ///< as asked for
  RankedTilings ranked;
  TrafficFront front;
  std::vector<HardwareCandidate> candidates;  ///< none for a matrix product; by time with TuneBy::time
  std::size_t simulated = 0;                  ///< candidates that the engine ran

  /// The point with another tiling, and for a GEMM whose order is open the order that moves least.
  Case with(const Tiling& tiling) const;
  /// What the device of the point gives to a block of `tiling`; nothing without a device.
  std::optional<BlockOnDevice> block_of(const Tiling& tiling) const;
  /// Why the grid of `tiling` cannot be launched on the device; nothing when it can, and without a device.
  std::optional<std::string> grid_refusal_of(const Tiling& tiling) const;
};

/// With TuneBy::time the best are those of the candidates that fit and do not spill, by the time of
/// their default execution: the engine's for the fastest in closed form (see rank_by_time). Throws InputError: an
/// algorithm without tiles, no budget, wrong input, a time without a device, for a matrix product, or for a type that
/// the device has no rate for; and FigureOverflow.
TuneResult tune(const PointRequest& request, const TuneOptions& options);

}  // namespace tilemeter
