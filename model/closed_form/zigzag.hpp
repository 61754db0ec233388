// FlashAttention-2 with boustrophedon K/V order: what one row block ends with, the next begins with.
#pragma once

#include <string>

#include "model/closed_form/formula.hpp"

namespace tilemeter {

/// As flash2_bill, less the K and V rows that stay on chip from one query tile to the next: even query tiles walk their
/// key tiles upwards, odd ones downwards, and a tile on which both turn is loaded once. Without a mask that is the last
/// key tile floor(Tr / 2) times and the first floor((Tr - 1) / 2) times, in all 2 Bc d (Tr - 1) elements a head where
/// Bc divides N: N = 1024, d = 64, (128, 64) saves 57344 of flash2's 1180672. Within the class of schedules that keep C
/// rows on chip it is optimal for all (N, C) that have been searched exhaustively.
Work zigzag_bill(const Case& point);

/// "2Nd + N + 2 Tr Nd - 2 Bc d (Tr - 1)" without a mask where Bc divides N.
std::string zigzag_expression(const Case& point);

/// As flash2_tiles.
std::vector<KernelTiles> zigzag_tiles(const Case& point);

}  // namespace tilemeter
