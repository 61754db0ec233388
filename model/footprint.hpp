// Closed form of what each algorithm keeps on chip; the simulator's own allocations are checked against it.
#pragma once

#include <string_view>
#include <vector>

#include "model/on_chip.hpp"
#include "model/problem.hpp"

namespace tilemeter {

/// The tiles that one block of a kernel holds at its fullest, in the order of allocation.
struct KernelTiles {
  std::string_view kernel;
  std::vector<OnChipTile> tiles;
};

/// The tiles of each kernel that `algorithm` launches, clipped to the problem (a tile of an empty sequence has no
/// rows). Operands (Q K V, and P of standard_tiled) are at `dtype`; S, O, l, m at fp32 (fp64 for fp64), P in the place
/// of S. Space::shared for operand tiles and their ring stages, Space::registers for the rest.
///  flash1, flash2:  Q (Br x d), K (Bc x d), V (Bc x d_v), O (Br x d_v), S (Br x Bc), l, m (Br x 1); at d = d_v and one
///                   stage 2d(Br+Bc) + Br Bc + 2Br elements (FlashAttention, Algorithm 1).
///  standard_tiled:  "scores" Q (Br x bd), K (Bc x bd), S (Br x Bc); "softmax" S (1 x N_k, or 1 x Bc when online), l,
///  m;
///                   "output" P (Br x Bc), V (Bc x bd), O (Br x bd).
///  standard, standard_unfused: none.
/// Throws InputError for an unknown algorithm.
std::vector<KernelTiles> on_chip_tiles_by_kernel(std::string_view algorithm, const Case& point);

/// The tiles of the kernel that holds most bytes, the first among equals; empty for algorithms without tiles.
std::vector<OnChipTile> on_chip_tiles(std::string_view algorithm, const Case& point);

/// The most that any kernel of `algorithm` passes the budget by, as `overflow_of`; zero when every kernel fits.
Count overflow_of(std::string_view algorithm, const Case& point, const Budget& budget);

/// The type of accumulators and statistics on chip.
constexpr DType accumulator_type(DType operand) { return operand == DType::fp64 ? DType::fp64 : DType::fp32; }

}  // namespace tilemeter
