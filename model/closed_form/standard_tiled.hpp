// Standard attention whose GEMMs work in tiles: operands are read once per tile of the other side.
#pragma once

#include <string>

#include "model/closed_form/formula.hpp"

namespace tilemeter {

/// The three kernels of `standard` with C-stationary GEMMs of tiles block_q x block_k x block_d, over the full
/// rectangle under any mask. With Tr = ceil(rows / block_q), Tc = ceil(Nk / block_k) and Td = ceil(dv / block_d)
/// (block_d = 0: one chunk), elements per stream:
///   S = Q K^T:  Q rows d Tc, K Nk d Tr, S rows Nk written
///   softmax:    S read once, or twice without a resident row (Options::row_softmax); P written
///   O = P V:    P rows Nk Td, V Nk dv Tr, O written
/// `tiles` counts (tile of C, chunk of the inner dimension) steps of both GEMMs. The online softmax takes two
/// exponentials per score. Source: C-stationary blocked matrix multiplication, A read once per column of tiles.
Work standard_tiled_bill(const Case& point);

std::string standard_tiled_expression(const Case& point);

/// "scores": Q (Br x bd), K (Bc x bd), S (Br x Bc); "softmax": S (1 x N_k, or 1 x Bc when online), l, m; "output":
/// P (Br x Bc), V (Bc x bd), O (Br x bd).
std::vector<KernelTiles> standard_tiled_tiles(const Case& point);

}  // namespace tilemeter
