// Tiles that a mask cuts, against a look at every score.
#include <array>
#include <random>

#include "model/geometry.hpp"
#include "model/visibility.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/one_of.hpp"

using namespace tilemeter;

namespace {

/// Of the scores of the visited tile (a, j), whether one lies outside the mask.
bool is_cut(const VisitedTiles& visited, const Visibility& mask, Count a, Count j) {
  const TileRange& queries = visited.queries();
  const TileRange& keys = visited.keys();
  for (Count row = queries.begin(a); row < queries.begin(a) + queries.size_of(a); ++row) {
    const KeyRange seen = mask.keys_of(row);
    if (seen.first > keys.begin(j) || seen.last < keys.begin(j) + keys.size_of(j)) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("cut tiles are the visited tiles with a score outside the mask") {
  std::mt19937_64 random(20261130);
  double cut_at_all = 0;
  for (int i = 0; i < 400; ++i) {
    Problem problem;
    problem.batch = 2;
    problem.heads = problem.kv_heads = 3;
    problem.seq_q = one_of<Count>(random, {1, 7, 40, 100, 128, 211});
    problem.seq_k = one_of<Count>(random, {1, 9, 64, 100, 128, 230});
    problem.mask.kind = std::array{MaskKind::causal, MaskKind::window, MaskKind::none}[static_cast<std::size_t>(i) % 3];
    if (problem.mask.kind == MaskKind::window) {
      problem.mask.left = one_of<Count>(random, {0, 5, 31, 400});
      if (i % 2 == 0) problem.mask.right = one_of<Count>(random, {0, 3, 64});
    }
    const Tiling tiling{.block_q = one_of<Count>(random, {8, 16, 33, 64}),
                        .block_k = one_of<Count>(random, {8, 16, 30, 64})};
    const VisitedTiles visited(problem, tiling);
    const Visibility mask(problem);
    Count cut = 0;
    for (Count a = 0; a < visited.query_tiles(); ++a) {
      const TileRange keys = visited.keys_of(a);
      Count here = 0;
      for (Count j = keys.first; j < keys.last; ++j) here += is_cut(visited, mask, a, j) ? 1 : 0;
      CAPTURE(i, problem.seq_q, problem.seq_k, name_of(problem.mask.kind), tiling.block_q, tiling.block_k, a);
      CHECK(visited.cut_of(a) == here);
      cut += here;
    }
    CHECK(cut_tiles(problem, tiling) == static_cast<double>(6 * cut));
    cut_at_all += static_cast<double>(cut);
  }
  CHECK(cut_at_all > 1000);
}
