// Closed form of what each algorithm keeps on chip; the simulator's own allocations are checked against it.
#pragma once

#include <string_view>
#include <vector>

#include "model/closed_form/formula.hpp"
#include "model/on_chip.hpp"
#include "model/problem.hpp"

namespace tilemeter {

/// The tiles that one block of each kernel of `algorithm` holds at its fullest, clipped to the problem (a tile of an
/// empty sequence has no rows). Operands are at `dtype`; S, O, l, m and other accumulators at fp32 (fp64 for fp64), P
/// in the place of S. Space::shared for operand tiles and their ring stages, Space::registers for the rest. Throws
/// InputError for an unknown algorithm and points that it does not take.
std::vector<KernelTiles> on_chip_tiles_by_kernel(std::string_view algorithm, const Case& point);

/// The tiles of the kernel that holds most bytes, the first among equals; empty for algorithms without tiles.
std::vector<OnChipTile> on_chip_tiles(std::string_view algorithm, const Case& point);

/// The most elements that any kernel of `algorithm` holds: not always the kernel that holds most bytes.
Elements most_elements_on_chip(std::string_view algorithm, const Case& point);

/// The most that any kernel of `algorithm` passes the budget by, as `overflow_of`; zero when every kernel fits.
Count overflow_of(std::string_view algorithm, const Case& point, const Budget& budget);

/// The type of accumulators and statistics on chip.
constexpr DType accumulator_type(DType operand) { return operand == DType::fp64 ? DType::fp64 : DType::fp32; }

}  // namespace tilemeter
