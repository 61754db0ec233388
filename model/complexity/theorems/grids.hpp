// Grids that several theorems use.
#pragma once

#include "model/complexity/grid.hpp"

namespace tilemeter::complexity {

/// The points of the joint fits.
inline Grid joint_points(std::uint64_t seed) { return random_points(seed, 400); }

/// What ceilings do to an exponent on points that divide nothing.
inline constexpr double ceilings = 0.02;

/// Nothing but rounding of logarithms.
inline constexpr double rounding = 1e-9;

}  // namespace tilemeter::complexity
