// Everything that `tilemeter complexity` measures, from what was asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "model/complexity/crossover.hpp"
#include "model/complexity/distance.hpp"
#include "model/complexity/theorem.hpp"

namespace tilemeter::complexity {

/// A grid of one's own, in the place of the points of the theorems.
struct OwnGrid {
  std::vector<Count> lengths;
  std::vector<Count> head_dims;
  std::vector<Count> capacities;
};

/// The most points that a grid of one's own may have.
inline constexpr std::size_t most_own_points = 10'000;

struct Inquiry {
  std::vector<const Theorem*> theorems;
  std::vector<std::string_view> algorithms;
  std::vector<TileChoice> rules;  ///< of fits and distances; empty for all
  std::uint64_t seed = 1;
  OwnGrid grid;       ///< where distances and break-evens are computed
  bool fits = false;  ///< also fits exponents over `grid`
};

struct Answer {
  std::vector<Measured> theorems;
  std::vector<Finding> fits;
  std::vector<Distance> distances;
  std::vector<BreakEven> break_evens;
  std::vector<Crossover> crossovers;  ///< part of the theorem "saha-ye"

  bool holds() const;
};

/// Traffic is counted by the simulator. Throws InputError where a fit has too few points, or no tile fits.
Answer measure(const Inquiry& inquiry);

}  // namespace tilemeter::complexity
