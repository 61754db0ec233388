// Counts of visited tiles against maps of every pair, and against the identities of the theory.
#include "model/closed_form/visited.hpp"

#include <algorithm>
#include <numeric>

#include "model/closed_form/catalog.hpp"
#include "model/closed_form/floor_sum.hpp"
#include "tests/model/closed_form/direct_loops.hpp"
#include "tests/model/closed_form/random_case.hpp"
#include "tests/support/catch.hpp"

using namespace tilemeter;

namespace {

/// Sums over a map of tiles, under the names of VisitedSums.
struct Totals {
  Count tiles = 0, key_rows_streamed = 0, query_rows_streamed = 0, scores = 0, live_rows = 0, key_rows_loaded = 0;
  friend bool operator==(const Totals&, const Totals&) = default;
};

Totals totals_of(const TileMap& map, Count splits) {
  Totals totals;
  for (Count a = 0; a < map.query_tiles(); ++a) {
    totals.live_rows += map.query_tile_visited(a) ? map.query_rows(a) : 0;
    for (Count j = 0; j < map.key_tiles(); ++j) {
      if (!map.visited(a, j)) continue;
      totals.tiles += 1;
      totals.key_rows_streamed += map.key_rows(j);
      totals.query_rows_streamed += map.query_rows(a);
      totals.scores += map.key_rows(j) * map.query_rows(a);
    }
  }
  for (Count j = 0; j < map.key_tiles(); ++j) {
    for (Count split = 0; split < splits; ++split) {
      bool needed = false;
      for (Count a = split; a < map.query_tiles(); a += splits) needed = needed || map.visited(a, j);
      totals.key_rows_loaded += needed ? map.key_rows(j) : 0;
    }
  }
  return totals;
}

Totals totals_of(const VisitedSums& visited, Count splits) {
  return {visited.tiles().narrow(),  visited.key_rows_streamed().narrow(), visited.query_rows_streamed().narrow(),
          visited.scores().narrow(), visited.live_rows().narrow(),         visited.key_rows_loaded(splits).narrow()};
}

/// Tile (a, j) by the rule on block boundaries: positions lo ... hi - 1 of an unclipped query tile, an unclipped key
/// tile.
bool visited_by_rule(const Case& point, Count a, Count j) {
  const Problem& p = point.problem;
  const Count g = p.packing == Packing::packed ? p.group() : 1;
  const Count block_q = point.tiling.block_q, block_k = point.tiling.block_k;
  const Count lo = a * block_q / g, hi = ((a + 1) * block_q - 1) / g + 1;
  const bool top_left = p.mask.kind == MaskKind::causal_top_left;
  const Count keys = top_left ? std::min(p.seq_k, ceil_div(p.seq_q, block_k) * block_k) : p.seq_k;
  if (j >= ceil_div(keys, block_k)) return false;
  if (p.mask.kind == MaskKind::none) return true;
  const Count delta = top_left ? 0 : p.seq_k - p.seq_q;
  const bool window = p.mask.kind == MaskKind::window;
  constexpr Count unlimited = 100000;
  const Count right = window ? p.mask.right.value_or(unlimited) : 0;
  const Count left = window ? p.mask.left.value_or(unlimited) : unlimited;
  return j * block_k < hi + delta + right && (j + 1) * block_k > lo + delta - left;
}

Problem square(Count seq, MaskKind kind) {
  Problem problem;
  problem.seq_q = problem.seq_k = seq;
  problem.mask.kind = kind;
  return problem;
}

}  // namespace

TEST_CASE("counted tiles equal a map of every pair") {
  constexpr std::uint32_t seed = 4242;
  RandomCases cases(seed);
  for (int i = 0; i < 20000; ++i) {
    const Case point = cases.point();
    const Count block_q = point.tiling.block_q, block_k = point.tiling.block_k, splits = point.options.row_splits;
    const TileMap map(point.problem, block_q, block_k);
    const VisitedSums visited(point.problem, block_q, block_k);
    if (totals_of(visited, splits) == totals_of(map, splits)) continue;
    FAIL("seed " << seed << " case " << i << ": " << describe(point));
  }
}

TEST_CASE("the rule on block boundaries visits exactly the tiles with a visible pair") {
  constexpr std::uint32_t seed = 99;
  RandomCases cases(seed);
  for (int i = 0; i < 5000; ++i) {
    const Case point = cases.point();
    const TileMap map(point.problem, point.tiling.block_q, point.tiling.block_k);
    for (Count a = 0; a < map.query_tiles(); ++a) {
      for (Count j = 0; j < map.key_tiles(); ++j) {
        if (visited_by_rule(point, a, j) == map.visited(a, j)) continue;
        FAIL("seed " << seed << " case " << i << " tile " << a << "," << j << ": " << describe(point));
      }
    }
  }
}

TEST_CASE("causal with whole tiles: one identity for both loop orders") {
  for (Count block_q = 1; block_q <= 12; ++block_q) {
    for (Count block_k = 1; block_k <= 12; ++block_k) {
      const Count gcd = std::gcd(block_q, block_k);
      for (Count times = 1; times <= 4; ++times) {
        const Count n = std::lcm(block_q, block_k) * times;
        INFO(n << " in tiles " << block_q << "x" << block_k);
        const Count area = n * (n + block_q + block_k - gcd) / 2;
        const Totals totals = totals_of(VisitedSums(square(n, MaskKind::causal), block_q, block_k), 1);
        CHECK(totals == Totals{area / (block_q * block_k), area / block_q, area / block_k, area, n, n});
      }
    }
  }
}

TEST_CASE("causal with ragged tiles: the printed floor sums") {
  for (Count n = 1; n <= 60; n += 7) {
    for (Count block_q = 1; block_q <= 20; ++block_q) {
      for (Count block_k = 1; block_k <= 20; ++block_k) {
        INFO(n << " in tiles " << block_q << "x" << block_k);
        const VisitedSums visited(square(n, MaskKind::causal), block_q, block_k);
        const Count query_tiles = ceil_div(n, block_q), key_tiles = ceil_div(n, block_k);
        const Count padding = key_tiles * block_k - n, last = (key_tiles - 1) * block_k / block_q;
        const Wide r = Wide(n) * key_tiles - Wide(block_q) * floor_sum(key_tiles, block_q, block_k, 0);
        const Wide steps = floor_sum(query_tiles - 1, block_k, block_q, block_q - 1) + (query_tiles - 1) + key_tiles;
        REQUIRE(visited.query_rows_streamed() == r);
        REQUIRE(visited.scores() == Wide(block_k) * r - Wide(padding) * (n - block_q * last));
        REQUIRE(visited.key_rows_streamed() == Wide(block_k) * steps - Wide(padding) * (query_tiles - last));
      }
    }
  }
}

TEST_CASE("causal window with whole square tiles") {
  for (Count block = 1; block <= 9; ++block) {
    for (Count tiles = 1; tiles <= 12; ++tiles) {
      for (Count left = 0; left <= block * tiles + 3; ++left) {
        Problem problem = square(block * tiles, MaskKind::window);
        problem.mask.left = left;
        problem.mask.right = 0;
        const Count s = std::min(ceil_div(left, block), tiles - 1);
        REQUIRE(VisitedSums(problem, block, block).tiles() == Wide((s + 1) * tiles - s * (s + 1) / 2));
      }
    }
  }
}

TEST_CASE("packed heads whose number divides the tile are unpacked heads with a smaller tile") {
  constexpr std::uint32_t seed = 5;
  RandomCases cases(seed);
  for (int i = 0; i < 2000; ++i) {
    Case point = cases.point();
    Problem packed = point.problem, unpacked = point.problem;
    packed.packing = Packing::packed;
    unpacked.packing = Packing::unpacked;
    const Count g = packed.group(), block_q = point.tiling.block_q, block_k = point.tiling.block_k;
    INFO("seed " << seed << " case " << i << ": " << describe(point));
    const Totals together = totals_of(VisitedSums(packed, block_q * g, block_k), 1);
    const Totals apart = totals_of(VisitedSums(unpacked, block_q, block_k), 1);
    REQUIRE(together == Totals{apart.tiles, apart.key_rows_streamed, g * apart.query_rows_streamed, g * apart.scores,
                               g * apart.live_rows, apart.key_rows_loaded});
  }
}

TEST_CASE("top-left causal ends where the queries end") {
  Problem problem;
  problem.seq_q = 100;
  problem.seq_k = 300;
  problem.mask.kind = MaskKind::causal_top_left;
  const Totals totals = totals_of(VisitedSums(problem, 64, 16), 1);
  CHECK(totals.tiles == 11);
  CHECK(totals.key_rows_streamed == 176);
  CHECK(totals.scores == 8128);
}

TEST_CASE("visible pairs and rows without keys equal a count of every pair") {
  constexpr std::uint32_t seed = 31;
  RandomCases cases(seed);
  for (int i = 0; i < 5000; ++i) {
    const Case point = cases.point();
    const Problem& p = point.problem;
    Count pairs = 0, empty = 0;
    for (Count row = 0; row < p.seq_q; ++row) {
      Count seen = 0;
      for (Count key = 0; key < p.seq_k; ++key) seen += sees(p, row, key) ? 1 : 0;
      pairs += seen;
      empty += seen == 0 ? 1 : 0;
    }
    INFO("seed " << seed << " case " << i << ": " << describe(point));
    REQUIRE(visible_pairs(p) == pairs * p.batch * p.heads);
    REQUIRE(empty_rows(p) == empty * p.batch * p.heads);
  }
}

TEST_CASE("visible pairs of an arbitrary mask") {
  Problem problem;
  problem.batch = 3;
  problem.heads = 2;
  problem.seq_q = 3;
  problem.seq_k = 2;
  problem.mask.kind = MaskKind::arbitrary;
  problem.mask.pairs = std::make_shared<PairMatrix>(
      PairMatrix{.rows = 3, .cols = 2, .visible = {true, true, false, false, false, true}});
  CHECK(visible_pairs(problem) == 3 * 6);
  CHECK(empty_rows(problem) == 1 * 6);
}
