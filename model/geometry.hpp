// Which (query tile, key tile) pairs an algorithm visits, and which of its loop steps are alike.
#pragma once

#include <vector>

#include "model/problem.hpp"
#include "model/wide.hpp"

namespace tilemeter {

/// Tiles first, first + stride, ... below `last` of a dimension of `extent` elements cut into tiles of `size`.
struct TileRange {
  Count first = 0;
  Count last = 0;
  Count extent = 0;
  Count size = 1;
  Count stride = 1;

  Count length() const { return first < last ? ceil_div(last - first, stride) : 0; }
  bool empty() const { return first >= last; }
  Count index(Count step) const { return first + step * stride; }
  Count begin(Count tile) const { return tile * size; }
  Count size_of(Count tile) const { return size < extent - begin(tile) ? size : extent - begin(tile); }
  /// Tiles of the full size: all, or all but the last.
  Count full_length() const {
    const Count all = length();
    return all > 0 && size_of(index(all - 1)) < size ? all - 1 : all;
  }
};

/// The order in which a loop goes through its steps.
enum class Walk { ascending, descending };

/// All tiles of a dimension. `size` is clipped to `extent`.
TileRange all_tiles(Count extent, Count size);

/// Steps first, first + step, ..., `count` of them, that are alike but for the number of tiles they visit, which grows
/// or shrinks by the same amount from each to the next.
struct Run {
  Count first = 0;
  Count step = 1;
  Count count = 1;
  Count last() const { return first + step * (count - 1); }
};

/// `count` steps that share nothing: one run each.
std::vector<Run> single_runs(Count count);

/// Steps of a range of tiles: the full ones alike, the ragged one apart.
std::vector<Run> runs_of(const TileRange& tiles);

/// The visited tiles of one stream. Query tile a and key tile j meet iff some key of j is not out of reach of all rows
/// of a: j Bc < (last position of a) + 1 + delta + right and (j + 1) Bc > (first position of a) + delta - left.
class VisitedTiles {
 public:
  /// Throws FigureOverflow when positions pass 64 bits.
  VisitedTiles(const Problem& problem, const Tiling& tiling);

  Count query_tiles() const { return queries_.last; }
  Count key_tiles() const { return keys_.last; }
  const TileRange& queries() const { return queries_; }
  const TileRange& keys() const { return keys_; }

  /// Key tiles that query tile `a` visits.
  TileRange keys_of(Count a) const;
  /// Query tiles that visit key tile `j`.
  TileRange queries_of(Count j) const;
  /// Of the key tiles that query tile `a` visits, those of which some score lies outside the mask.
  Count cut_of(Count a) const;
  /// The part of queries_of(j) that key tile `j` is the first to meet, when key tiles come in the order of `walk`.
  TileRange first_met_by(Count j, Walk walk = Walk::ascending) const;

  /// Query tiles, grouped into runs for loops over keys_of.
  std::vector<Run> query_runs() const { return query_runs(keys_); }
  /// Query tiles, grouped into runs for loops over the tiles of `part` that are in keys_of.
  std::vector<Run> query_runs(const TileRange& part) const;
  /// Query tiles, grouped into runs for loops over keys_of that treat odd and even query tiles apart and look at the
  /// ends of the query tile before: along a run, the ends of keys_of(a) and keys_of(a - 1) are equal always or never.
  std::vector<Run> query_walk_runs() const;
  /// Key tiles, grouped into runs for loops over queries_of and first_met_by.
  std::vector<Run> key_runs() const;

 private:
  Wide reach_end(Count a) const;    // one past the last key in reach of query tile a, unclipped
  Wide reach_begin(Count a) const;  // first key in reach, unclipped
  Count query_period() const;       // query tiles after which the boundaries of the mask meet key tiles alike
  Wide rows_begin(Count j) const;   // first stream row that reaches key tile j, unclipped
  Wide rows_end(Count j) const;     // one past the last, unclipped

  TileRange queries_;
  TileRange keys_;
  Count group_ = 1;
  Wide offset_;
  std::optional<Count> left_;
  std::optional<Count> right_;
};

/// Visited tiles of all streams of which some score lies outside the mask: exact up to 4096 query tiles a stream, else
/// from as many of them at equal distances. Throws as VisitedTiles.
double cut_tiles(const Problem& problem, const Tiling& tiling);

}  // namespace tilemeter
