// The tiles of the score matrix that a tiled algorithm visits under a mask, counted without visiting them.
#pragma once

#include "model/problem.hpp"
#include "model/wide.hpp"

namespace tilemeter {

/// value(a) = floor((slope a + offset) / step), clipped to 0 ... top: how far along the keys a boundary of the mask is
/// at query tile a. slope >= 0, step > 0.
struct Staircase {
  Wide slope;
  Wide offset;
  Wide step = 1;
  Wide top;

  Wide at(Wide a) const;
  /// The first a in 0 ... limit - 1 with at(a) >= value, else limit; value in 1 ... top.
  Wide first_reaching(Wide value, Wide limit) const;
  /// The staircase over a = first, first + 2, ...
  Staircase every_second(Wide first) const;
  /// Sum of at(a) for a = begin ... end - 1. O(log).
  Wide sum(Wide begin, Wide end) const;
};

/// The visited tiles of one stream. Query tile a has block_q rows of the stream and key tile j has block_k keys, the
/// last ones fewer; a tile is visited when it holds a visible pair, and query tile a visits the key tiles
///   floor((lo + Delta - left) / Bc) <= j < floor((hi - 1 + Delta + right) / Bc) + 1,
/// lo ... hi - 1 its query positions (row / group when packed) and Delta = Nk - Nq. Causal from the top left is Delta =
/// 0 with Nk replaced by min(Nk, ceil(Nq / Bc) Bc). All results in O(log); exact for sizes up to 2^63 - 1. Source:
/// FlashAttention-2's block ranges, and the floor-sum form of their totals.
class VisitedSums {
 public:
  /// Tile sizes of at least 1, clipped to the problem. Any mask but `arbitrary`.
  VisitedSums(const Problem& problem, Count block_q, Count block_k);

  /// Visited (query tile, key tile) pairs.
  Wide tiles() const { return tiles_; }
  /// Key rows, summed over the query tiles that visit them: what a query-outer loop streams.
  Wide key_rows_streamed() const;
  /// Query rows, summed over the key tiles that they meet: what a key-outer loop streams, and the rescaled rows.
  Wide query_rows_streamed() const;
  /// Scores in visited tiles, masked ones included.
  Wide scores() const;
  /// Query rows in tiles that visit a key tile.
  Wide live_rows() const { return rows_ - min(rows_, first_live_tile() * block_q_); }
  /// Key rows that `splits` blocks load when each owns every splits-th query tile, goes through the key tiles once, and
  /// loads those that one of its own query tiles visits. splits = 1: keys in tiles that anybody visits.
  Wide key_rows_loaded(Count splits = 1) const;
  /// Key rows that a boustrophedon walk need not load: even query tiles take their key tiles in ascending order, odd
  /// ones in descending order, and the last tile of one serves as the first of the next where the two are the same.
  Wide key_rows_kept() const;
  /// Pages of `page` keys that the key tiles touch, each tile anew, summed over the query tiles that visit them.
  /// `page` divides block_k or is a multiple of it.
  Wide key_pages_streamed(Count page) const;

 private:
  static Wide min(Wide a, Wide b) { return a < b ? a : b; }
  Wide key_tiles_of(Wide a) const { return end_.at(a) - begin_.at(a); }
  Wide first_live_tile() const { return key_tiles_ > Wide(0) ? end_.first_reaching(1, query_tiles_) : query_tiles_; }
  Wide query_tiles_reaching_last_key() const;
  Wide shared_with_earlier(Wide distance) const;
  /// Query tiles a = parity, parity + 2, ... with first <= a: how many, and over how many of them a boundary does not
  /// move from query tile a - 1 to a.
  Wide count_from(Wide first, Count parity) const;
  Wide resting(const Staircase& boundary, Wide first, Count parity) const;

  Wide rows_, keys_;
  Wide block_q_, block_k_;
  Wide query_tiles_, key_tiles_;
  Wide row_padding_, key_padding_;  ///< rows and keys that the last tiles lack
  Staircase begin_, end_;           ///< query tile a visits the key tiles begin(a) ... end(a) - 1
  Wide tiles_;
};

}  // namespace tilemeter
