// FlashAttention: K/V tiles in the outer loop, O and its statistics read back and written at every visit.
#pragma once

#include <string>

#include "model/closed_form/formula.hpp"

namespace tilemeter {

/// With R the query rows that meet a key tile, summed over the visited tiles, elements per stream:
///   Q R d read; O R dv and l, m R each read and written; K Kn d and V Kn dv read, Kn the keys in visited tiles.
/// Without a mask R = N Tc, in all 2Nd + Tc(3Nd + 4N): N = 1024, d = 64, Bc = 196 give 1335296 elements.
/// Options: init counts writing the initial O, l and m; the first visit of a row block may leave them unread;
/// row_splits blocks share a head's row blocks in turn and each loads the keys that it needs. O is stored as o_dtype.
/// Throws InputError for init together with unread first visits. Source: FlashAttention, Algorithms 1 and 2.
Work flash1_bill(const Case& point);

/// "2Nd + Tc(3Nd + 4N)" without a mask, "2Nd + R(3d + 4), R = ..." for causal.
std::string flash1_expression(const Case& point);

/// Q (Br x d), K (Bc x d), V (Bc x d_v), O (Br x d_v), S (Br x Bc), l, m (Br x 1); at d = d_v and one stage
/// 2d(Br + Bc) + Br Bc + 2Br elements.
std::vector<KernelTiles> flash1_tiles(const Case& point);

}  // namespace tilemeter
