// Attention for a small memory on chip: scores in memory, tiles of b x b and operands one column at a time.
#pragma once

#include <string>

#include "model/closed_form/formula.hpp"

namespace tilemeter {

/// The side of the square tile that M elements hold beside two columns: floor(sqrt(M + 1)) - 1, from b^2 + 2b <= M.
/// Zero for M < 3.
Count side_of_square_tile(Count capacity);

/// With Br = block_q, Bc = block_k, Tr = ceil(Nq / Br), Tc = ceil(Nk / Bc), Tv = ceil(dv / Bc), elements per stream:
/// Q Tc Nq d and K Tr Nk d read, S Nq Nk written and (1 + Tv) Nq Nk read, l and m Nq written and Tv Nq read each,
/// V Tr Nk dv read, O Nq dv written. Square tiles and one length: 2Nd ceil(N/b) + N^2 + (N^2 + 2N) + N^2 ceil(d/b) +
/// Nd ceil(N/b) + 2N ceil(d/b) + Nd, about 4 N^2 d / sqrt(M) + 2 N^2. The whole rectangle, whatever the mask.
/// Source: Saha & Ye 2024, the algorithm for M < d^2.
Work materialised_bill(const Case& point);

std::string materialised_expression(const Case& point);

/// scores: a tile of S, a column of Q, one of K. statistics: a tile of S, l, m. output: a tile of O, a column of P (in
/// whose place l comes at the end), m. Each is b^2 + 2b for square tiles. An element of V is used as it arrives.
std::vector<KernelTiles> materialised_tiles(const Case& point);

}  // namespace tilemeter
