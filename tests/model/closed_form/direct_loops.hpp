// Bills by executing the loops one tile at a time: the oracle of the closed forms, which shares none of their code.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "model/problem.hpp"
#include "model/work.hpp"

namespace tilemeter {

/// Whether the query at `position` sees `key`, by the definition of the mask.
bool sees(const Problem& problem, Count position, Count key);

/// The tiles of one stream's score matrix, and for each whether it holds a visible pair, by looking at every pair.
class TileMap {
 public:
  TileMap(const Problem& problem, Count block_q, Count block_k);

  Count query_tiles() const { return query_tiles_; }
  Count key_tiles() const { return key_tiles_; }
  Count query_rows(Count a) const { return size(a, block_q_, rows_); }
  Count key_rows(Count j) const { return size(j, block_k_, keys_); }
  bool visited(Count a, Count j) const { return visited_[static_cast<std::size_t>(a * key_tiles_ + j)]; }
  bool query_tile_visited(Count a) const;
  bool key_tile_visited(Count j) const;

 private:
  static Count size(Count index, Count block, Count extent) { return std::min(block, extent - index * block); }

  Count rows_, keys_, block_q_, block_k_, query_tiles_, key_tiles_;
  std::vector<bool> visited_;
};

/// Bill of `algorithm`, tile by tile, head by head.
Work direct_bill(std::string_view algorithm, const Case& point);

}  // namespace tilemeter
