// Traffic against the memory on chip: the tilings that no other one betters in both.
#pragma once

#include <string_view>
#include <vector>

#include "model/tiling_rule.hpp"

namespace tilemeter {

/// A tiling, what it holds on chip and what it moves: elements for a budget in elements, else bytes; on chip in the gpu
/// placement shared memory alone.
struct TilingCosts {
  Tiling tiling;
  Count on_chip = 0;
  Count traffic = 0;
};

/// What the fullest kernel of `algorithm` holds on chip, in the unit that `budget` compares (see TilingCosts).
Count on_chip_use(std::string_view algorithm, const Case& point, const Budget& budget);

/// The Pareto front, the least memory first.
struct TrafficFront {
  std::vector<TilingCosts> tilings;
  bool complete = true;  ///< no tiling is missing; else sizes were sampled, about evenly in their logarithm
};

/// The front of `algorithm` from the smallest tiling to the least traffic that any has, whatever the capacity of
/// `budget` (its placement and unit count, and in the gpu placement its registers). Complete where the bill depends on
/// one size, without a mask for any length, with one up to 4096 steps; other fronts are sampled. Throws
/// FigureOverflow.
TrafficFront traffic_front(std::string_view algorithm, const Case& point, const Budget& budget,
                           TileGranularity granularity);

}  // namespace tilemeter
