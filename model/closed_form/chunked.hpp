// Chunks of queries against chunks of keys, whose partial results are combined at the end.
#pragma once

#include <array>
#include <string>

#include "model/closed_form/formula.hpp"

namespace tilemeter {

inline constexpr std::array chunked_variants = {Variant::onchip, Variant::fused, Variant::unfused};

/// The chunks that the paper takes: 1024 queries, and the square root of the keys, rounded up.
Tiling chunks_of_paper(const Problem& problem);

/// With nq query chunks and nk key chunks, elements per stream:
///  onchip:  Q Nq d, K nq Nk d, V nq Nk dv read, O Nq dv written.
///  fused:   the same, and a summary a row and key chunk (dv values, a sum, a maximum) written and read: nk Nq (dv +
///  2). unfused: Q nk Nq d; the scores S and the weights E of every tile written and read too, Nq Nk each.
/// The whole rectangle is worked on, whatever the mask. N = 4096, d = 64, chunks 1024 and 64: 2621440, 37224448 and
/// 120848384 elements. Exponentials: Nq Nk of scores, nk Nq to combine. Source: Rabe & Staats 2021, section 3 and
/// listing.
Work chunked_bill(const Case& point);

std::string chunked_expression(const Case& point);

/// onchip: Q K V S, and O l m of every key chunk. fused: a kernel of one query chunk with one O l m, and one that
/// combines a row at a time: its maxima and sums, the values of one chunk, O. unfused: a kernel each for scores,
/// exponentials and values.
std::vector<KernelTiles> chunked_tiles(const Case& point);

/// Scores (with weights: unfused) of one tile, and the summaries of the key chunks so far, at the key chunk where they
/// are most; over all streams, one query chunk after another: f Cq ck + j Cq (dv + 2), f = 1, or 2 for unfused.
/// N = 4096, d = 64, chunks 1024 and 64: 4390912 elements, unfused 4456448.
Workspace chunked_workspace(const Case& point);

}  // namespace tilemeter
