#include "kernels/visibility.hpp"

#include <algorithm>

#include "tests/kernels/expected_traffic.hpp"
#include "tests/support/catch.hpp"

using namespace tilemeter;
using namespace tilemeter::kernels;

namespace {

void check_tiles(const Problem& problem, Count block_q, Count block_k) {
  const Visibility visible = visibility_of(problem, block_k);
  for (Count row = 0; row < problem.seq_q; row += block_q) {
    const Range tiles = visited_tiles(visible, row, block_q, block_k);
    for (Count tile = 0; tile * block_k < problem.seq_k; ++tile) {
      const bool expected = tile_is_visited(problem, {.block_q = block_q, .block_k = block_k}, row / block_q, tile);
      CHECK((tiles.first <= tile && tile < tiles.last) == expected);
    }
  }
}

/// The same tiles from the side of the keys, and the tiles that need no mask.
void check_row_blocks(const Problem& problem, Count block_q, Count block_k) {
  const Visibility visible = visibility_of(problem, block_k);
  const Count row_blocks = ceil_div(problem.seq_q, block_q);
  for (Count tile = 0; tile * block_k < problem.seq_k + block_k; ++tile) {
    const Range met = visiting_row_blocks(visible, tile, row_blocks, block_q, block_k);
    for (Count block = 0; block < row_blocks; ++block) {
      const Range tiles = visited_tiles(visible, block * block_q, block_q, block_k);
      CHECK((met.first <= block && block < met.last) == (tiles.first <= tile && tile < tiles.last));
    }
    CHECK(met.last <= row_blocks);
  }
}

void check_seen_by_all(const Problem& problem, Count rows, Count keys) {
  const Visibility visible = visibility_of(problem, keys);
  for (Count row = 0; row + rows <= problem.seq_q; ++row) {
    for (Count key = 0; key + keys <= problem.seq_k + 1; ++key) {
      bool all = key + keys <= problem.seq_k;
      for (Count r = row; r < row + rows; ++r) {
        for (Count k = key; all && k < key + keys; ++k) all = sees(problem, r, k);
      }
      CHECK(sees_all(visible, row, rows, key, keys) == all);
    }
  }
}

/// A tile needs no mask when all of its keys are there and every row of the block sees them.
void check_unmasked_tiles(const Problem& problem, Count block_q, Count block_k) {
  const Visibility visible = visibility_of(problem, block_k);
  for (Count begin = 0; begin < problem.seq_q; begin += block_q) {
    const Count end = std::min(begin + block_q, problem.seq_q);
    const Range tiles = unmasked_tiles(visible, begin, end, block_k);
    for (Count tile = 0; tile * block_k < problem.seq_k; ++tile) {
      bool expected = (tile + 1) * block_k <= visible.keys;
      for (Count row = begin; row < end; ++row) {
        for (Count key = tile * block_k; key < (tile + 1) * block_k; ++key)
          expected = expected && sees(problem, row, key);
      }
      CHECK((tiles.first <= tile && tile < tiles.last) == expected);
    }
  }
}

void check_keys(const Problem& problem, Count block_k) {
  const Visibility visible = visibility_of(problem, block_k);
  for (Count row = 0; row < problem.seq_q; ++row) {
    for (Count key = 0; key < problem.seq_k; ++key) {
      const Count begin = key / block_k * block_k;
      const Range seen = visible_keys(visible, row, begin, clamp(visible.keys - begin, 0, block_k));
      CHECK((begin + seen.first <= key && key < begin + seen.last) == sees(problem, row, key));
    }
  }
}

}  // namespace

TEST_CASE("tiles and keys follow the definition of every mask") {
  for (const Mask& mask : all_masks()) {
    for (const auto& [seq_q, seq_k] : {std::pair{1, 1}, {1, 9}, {9, 1}, {13, 13}, {7, 22}, {22, 7}, {5, 0}}) {
      const Problem problem{.seq_q = seq_q, .seq_k = seq_k, .mask = mask};
      INFO(describe(problem));
      check_keys(problem, 4);
      for (const auto& [block_q, block_k] : {std::pair{1, 1}, {4, 4}, {2, 5}, {5, 2}, {32, 32}}) {
        check_tiles(problem, block_q, block_k);
        check_row_blocks(problem, block_q, block_k);
        check_seen_by_all(problem, block_q, block_k);
        check_unmasked_tiles(problem, block_q, block_k);
      }
    }
  }
}

TEST_CASE("a top-left causal mask shortens the keys to the tiles that rows reach") {
  const Problem problem{.seq_q = 5, .seq_k = 100, .mask = {.kind = MaskKind::causal_top_left}};
  CHECK(visibility_of(problem, 4).keys == 8);
  CHECK(visibility_of(problem, 64).keys == 64);
  CHECK(visibility_of(problem, 128).keys == 100);
}

TEST_CASE("an arbitrary mask is refused") {
  CHECK_THROWS_WITH(visibility_of(Problem{.mask = {.kind = MaskKind::arbitrary}}, 4), contains("causal_top_left"));
}
