// What the bills of the backward passes share.
#pragma once

#include <string>
#include <vector>

#include "model/on_chip.hpp"
#include "model/problem.hpp"
#include "model/work.hpp"

namespace tilemeter {

/// Whether dK and dV of the query heads that share a K/V head are formed apart, in dKx and dVx, and then summed. Packed
/// query heads are one stream and need no sum.
bool expands_key_gradients(const Problem& problem);

/// Traffic of dK and dV: `writes` times all keys of a stream, and where they are expanded that of dKx and dVx instead,
/// which the sum over the group then reads to write dK and dV once.
Work key_gradients_bill(const Problem& problem, Count writes = 1);

/// " + 2Nk(d + dv) [sum over heads]" for a stream of a group of g, "" where nothing is expanded.
std::string key_gradients_terms(const Problem& problem);

/// Buffers of dQacc: one, or with Accumulation::deterministic one for each block that works on the key tiles of a
/// stream, `splits` if given, else ceil(SMs / streams). Source: FlashAttention-2's backward launch, whose grid.x and
/// dq_accum have that size, whatever the number of key tiles.
Count accumulation_buffers(const Case& point);

/// Whether a block of a backward pass accumulates dQ on chip for the query tile at hand.
enum class QueryGradient { on_chip, elsewhere };
/// Q, dO, then dQ if on chip, K, V, then dK and dV, S, dP of a block that streams query tiles past K and V.
std::vector<OnChipTile> key_gradient_tiles(const Case& point, QueryGradient query_gradient);

}  // namespace tilemeter
