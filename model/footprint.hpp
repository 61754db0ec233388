// Closed form of what each algorithm keeps on chip; the simulator's own allocations are checked against it.
#pragma once

#include <string_view>
#include <vector>

#include "model/on_chip.hpp"
#include "model/problem.hpp"

namespace tilemeter {

/// The tiles that one block of `algorithm` holds at its fullest, clipped to the problem, in the order of allocation.
/// Operands (Q K V) are at `dtype`; S, O, l, m at fp32 (fp64 for fp64), P in the place of S. Space::shared for operand
/// tiles and their ring stages, Space::registers for the rest. Empty for algorithms without tiles (standard,
/// standard_unfused). Source: theory of FlashAttention's block sizes, F1 = 2d(Br+Bc) + Br Bc + 2Br.
/// Throws InputError for an unknown algorithm.
std::vector<OnChipTile> on_chip_tiles(std::string_view algorithm, const Case& point);

}  // namespace tilemeter
