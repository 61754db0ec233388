// Rows that an online softmax without a guard turns into NaN.
#pragma once

#include "model/geometry.hpp"

namespace tilemeter {

/// What becomes of a row block that visits no tile: its sum of nothing is divided by zero, or nobody touches it.
enum class UnvisitedRows { divided, untouched };

/// Rows [first, last) of a stream.
struct RowRange {
  Count first = 0;
  Count last = 0;
};

/// Without a guard the running maximum of a row that has seen no key is -inf, and exp(-inf - (-inf)) is NaN for good. A
/// row is lost iff its row block begins its walk with a tile that holds none of the row's keys; a row without any key
/// is among them. With `walk` descending, the first tile of a block is the last that it visits: N = 300, Br = 64, Bc =
/// 100, causal, loses rows 64 ... 99 and 192 ... 199. Positions p = row / group + Nk - Nq keep their rows iff p - left
/// < (end of the first tile) and p + right >= (its begin).
class UnguardedRows {
 public:
  /// Any mask but an arbitrary one (throws InputError).
  UnguardedRows(const Problem& problem, const Tiling& tiling, Walk walk);

  Count query_tiles() const { return visited_.query_tiles(); }
  /// The rows of query tile `a` that survive; empty when the tile visits nothing.
  RowRange surviving(Count a) const;
  /// Lost rows of a stream. O(query tiles).
  Count lost(UnvisitedRows unvisited) const;

 private:
  VisitedTiles visited_;
  Walk walk_;
  Wide group_;
  Wide offset_;
  std::optional<Count> left_;
  std::optional<Count> right_;
};

}  // namespace tilemeter
