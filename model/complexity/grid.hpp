// The points at which exponents are fitted.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/complexity/contender.hpp"

namespace tilemeter::complexity {

/// Points, and in words where they lie.
struct Grid {
  std::vector<Scale> points;
  std::string range;  ///< "N = 65,536, d = 64, M = 4,096 to 262,144, 7 points"
};

/// At least one point with its range in words.
Grid grid_of(std::vector<Scale> points);

/// What varies along a grid of one axis.
enum class Axis { seq, head_dim, capacity };

/// `base` with the axis at from, 2 from, ... up to `to`.
Grid doubling(const Scale& base, Axis axis, Count from, Count to);

/// `base` with the axis at `points` sizes in equal ratios from `from` to `to`, rounded: no regard for divisors. Sizes
/// that round to the same integer appear once.
Grid unaligned(const Scale& base, Axis axis, Count from, Count to, Count points);

/// `count` points with N in [4096, 2^20], d in [16, 256] and M in [8 d^2 + 17 d, N d / 8], each uniform in its
/// logarithm; triples without any such M are drawn again. The same seed gives the same points with every compiler.
Grid random_points(std::uint64_t seed, Count count);

/// N, d and M at `base`, masked to bands of `from`, 2 from, ... `to` keys before the row's own position (causal
/// windows).
Grid bands(const Scale& base, Count from, Count to);

}  // namespace tilemeter::complexity
