// The best tilings of one algorithm on one problem within one budget.
#pragma once

#include <cstddef>
#include <vector>

#include "model/hardware_candidates.hpp"
#include "model/tiling_rule.hpp"
#include "model/traffic_front.hpp"
#include "tools/point.hpp"

namespace tilemeter {

/// What `tune` is asked beside the point.
struct TuneOptions {
  std::size_t top = 5;  ///< tilings in the list of the best
  std::vector<Count> warps = {4, 8};
};

struct TuneResult {
  PointResult point;  ///< of the best tiling, or with the refusal when none fits; billed, not counted
  Shapes shapes;      ///< of a matrix product
  RankedTilings ranked;
  TrafficFront front;
  std::vector<HardwareCandidate> candidates;  ///< none for a matrix product

  /// The point with another tiling, and for a GEMM whose order is open the order that moves least.
  Case with(const Tiling& tiling) const;
};

/// Throws InputError: an algorithm without tiles, no budget, wrong input; and FigureOverflow.
TuneResult tune(const PointRequest& request, const TuneOptions& options);

}  // namespace tilemeter
