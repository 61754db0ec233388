// Draws from a generator that are the same on every system; the distributions of the standard library are not.
#pragma once

#include <cstddef>
#include <random>

namespace tilemeter::fuzz {

/// A number below `end`, which is not 0.
inline std::size_t below(std::size_t end, std::mt19937_64& random) { return random() % end; }

inline bool chance(std::size_t percent, std::mt19937_64& random) { return below(100, random) < percent; }

}  // namespace tilemeter::fuzz
