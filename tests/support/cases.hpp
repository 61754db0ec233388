// Random points for the laws, and readable failures.
#pragma once

#include <random>
#include <string>

#include "model/closed_form/formula.hpp"

namespace tilemeter::testing {

enum class Extent { small, tiny };

/// A random point: ragged tiles, single rows, seq_q and seq_k apart, every mask, grouped heads, packed or not, d_v
/// apart from d, tiles larger than the problem, no keys at all. `tiny` keeps numeric runs cheap.
Case random_case(std::mt19937_64& random, Extent extent);

/// The nearest point that an algorithm takes: a variant drawn from its own, and, as far as it refuses the rest, even
/// pages, groups of weights or none, no packed rows, no mask, a causal one, one head a K/V head, as many keys as
/// queries. Throws std::logic_error when it refuses even that.
Case adapted(Case point, const Formula& formula, std::mt19937_64& random);
/// The same with the default variant.
Case adapted(Case point, const Formula& formula);

/// The point in the words of the command line.
std::string describe(const Case& point);

}  // namespace tilemeter::testing
