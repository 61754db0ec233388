// Random points for the laws, and readable failures.
#pragma once

#include <random>
#include <string>

#include "model/problem.hpp"

namespace tilemeter::testing {

enum class Extent { small, tiny };

/// A random point: ragged tiles, single rows, seq_q and seq_k apart, every mask, grouped heads, packed or not, d_v
/// apart from d, tiles larger than the problem, no keys at all. `tiny` keeps numeric runs cheap.
Case random_case(std::mt19937_64& random, Extent extent);

/// The point in the words of the command line.
std::string describe(const Case& point);

}  // namespace tilemeter::testing
