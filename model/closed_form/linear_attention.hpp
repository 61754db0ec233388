// Attention without a softmax: (Q K^T) V, or Q (K^T V) with a d x dv state.
#pragma once

#include <array>
#include <string>

#include "model/closed_form/formula.hpp"

namespace tilemeter {

inline constexpr std::array linear_attention_variants = {Variant::state, Variant::state_memory, Variant::scores,
                                                         Variant::causal_chunks};

/// The variant of a point that names none: causal_chunks under a causal mask, else state.
Variant linear_attention_variant(const Case& point);

/// Packed rows; state and state_memory take no mask; causal_chunks takes the causal mask and Nq = Nk alone.
std::string refuse_linear_attention(std::string_view name, const Case& point);

/// Elements per stream; Q, K and V are read and O is written once in each variant.
///  scores:        S Nq Nk written and read; 2 Nq Nk (d + dv) FLOP.
///  state:         nothing else; 2 (Nq + Nk) d dv FLOP.
///  state_memory:  KV d dv written and read; the same FLOPs.
///  causal_chunks: nothing else; 2 (sum of squared chunks)(d + dv) + 4 N d dv FLOP.
/// N = 2 d dv / (d + dv) is where scores and state take the same FLOPs: N = 64 for d = dv = 64. Source: Katharopoulos
/// et al. 2020; causal chunks: Hua et al. 2022.
Work linear_attention_bill(const Case& point);

std::string linear_attention_expression(const Case& point);

/// scores: none, the textbook's bill. Otherwise the state, d x dv, and chunks of C rows: state Q K V O, C(2d + 2dv) +
/// d dv; causal_chunks C^2 scores too; state_memory a kernel that sums the state up and one that applies it.
std::vector<KernelTiles> linear_attention_tiles(const Case& point);

}  // namespace tilemeter
