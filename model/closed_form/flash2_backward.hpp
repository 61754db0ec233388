// The backward pass of FlashAttention-2, with atomic adds or with a kernel for dQ.
#pragma once

#include <string>

#include "model/closed_form/formula.hpp"

namespace tilemeter {

/// Every variant first reads O and dO of all rows to write D = rowsum(dO o O). With R, Kn as in flash1_backward, KS the
/// key rows that the query tiles stream and `live` the rows in tiles that see a key, elements per stream:
///  atomics      writes dQacc once (zeros); reads Q R d, dO R dv, LSE and D R, K Kn d, V Kn dv; adds R d to dQacc (a
///               read and a write); reads dQacc to write dQ. In all 9Nd + N + Tc(4Nd + 2N) without a mask: N = 1024,
///               d = 64, Bc = 128 give 2704384. FLOPs 2(3d + 2dv) a visited score.
///  two_kernels  reads Q, dO, LSE, D of R + live rows, K and V of Kn + KS, and writes dQ. FLOPs 2(4d + 3dv), two
///               exponentials a score.
/// dK and dV are written for all keys, zeros where no query reaches; grouped heads write dKx and dVx, which are then
/// summed. With Accumulation::deterministic each of accumulation_buffers() dQacc is zeroed, and read at the end.
/// Source: FlashAttention-2, Algorithm 2 and its implementation.
Work flash2_backward_bill(const Case& point);

/// "9Nd + N + Tc(4Nd + 2N)", or "9Nd + 3N + Tc(2Nd + 2N) + 2 Tr Nd", without a mask.
std::string flash2_backward_expression(const Case& point);

/// Tiles of the kernels that hold any: Q, dO, dQ, K, V, dK, dV, S, dP, LSE, D; at d = d_v d(4Bc + 3Br) + 2 Br Bc + 2Br
/// elements. With two kernels the first has no dQ, and the second no dK and dV.
std::vector<KernelTiles> flash2_backward_tiles(const Case& point);

}  // namespace tilemeter
