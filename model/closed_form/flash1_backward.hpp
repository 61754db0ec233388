// The backward pass of FlashAttention: K/V tiles in the outer loop, dQ read back and written at every visit.
#pragma once

#include <string>

#include "model/closed_form/formula.hpp"

namespace tilemeter {

/// With R the query rows that meet a key tile, summed over the visited tiles, elements per stream: Q R d, O and dO R
/// dv, l and m R read; dQ R d read and written, as o_dtype; K Kn d and V Kn dv read, Kn the keys in visited tiles; dK
/// and dV written for all keys. Without a mask R = N Tc, in all 4Nd + Tc(5Nd + 2N): N = 1024, d = 64, Bc = 196 give
/// 2240512. init counts writing the initial dQ, dK, dV. FLOPs 2(3d + 2dv) a visited score. Grouped heads write dKx and
/// dVx, which are then summed. Source: FlashAttention, Algorithm 4.
Work flash1_backward_bill(const Case& point);

/// "4Nd + Tc(5Nd + 2N)" without a mask, "4Nd + R(5d + 2), R = ..." for causal.
std::string flash1_backward_expression(const Case& point);

/// Q, dO, dQ, K, V, dK, dV, S, dP, O (Br x d_v), l, m, D (Br x 1); at d = d_v 4d(Br + Bc) + 2 Br Bc + 3Br elements.
std::vector<KernelTiles> flash1_backward_tiles(const Case& point);

}  // namespace tilemeter
