// FlashAttention-2's number of splits, and lost rows, by their closed forms.
#include "model/split_heuristic.hpp"

#include <algorithm>
#include <random>

#include "model/nan_rows.hpp"
#include "model/visibility.hpp"
#include "tests/support/catch.hpp"

using namespace tilemeter;

namespace {

Case tiled_case(Count seq_q, Count seq_k, Count block_q, Count block_k, Mask mask) {
  Case point;
  point.problem.seq_q = seq_q;
  point.problem.seq_k = seq_k;
  point.problem.mask = std::move(mask);
  point.tiling.block_q = block_q;
  point.tiling.block_k = block_k;
  return point;
}

/// Lost rows by looking at every key of the tile that each row visits first.
Count lost_by_looking(const Case& point, Walk walk, UnvisitedRows unvisited) {
  const VisitedTiles visited(point.problem, point.tiling);
  const Visibility visibility(point.problem);
  Count lost = 0;
  for (Count row = 0; row < point.problem.rows(); ++row) {
    const TileRange tiles = visited.keys_of(row / visited.queries().size);
    if (tiles.empty()) {
      lost += unvisited == UnvisitedRows::divided ? 1 : 0;
      continue;
    }
    const Count tile = walk == Walk::ascending ? tiles.first : tiles.last - 1;
    const KeyRange keys = visibility.keys_of(row);
    bool sees = false;
    for (Count key = tiles.begin(tile); key < tiles.begin(tile) + tiles.size_of(tile); ++key) {
      sees = sees || (key >= keys.first && key < keys.last);
    }
    lost += sees ? 0 : 1;
  }
  return lost;
}

}  // namespace

TEST_CASE("the number of splits that FlashAttention-2 chooses") {
  const auto splits = [](Count batch, Count heads, Count key_tiles, Count sms) {
    return split_heuristic({.blocks = batch * heads, .key_tiles = key_tiles, .slots = 2 * sms});
  };
  CHECK(splits(1, 8, 64, 108) == 22);
  CHECK(splits(1, 8, 64, 132) == 32);
  CHECK(splits(1, 8, 1024, 132) == 28);
  CHECK(splits(4, 8, 64, 132) == 7);
  CHECK(splits(16, 8, 64, 132) == 2);
  CHECK(splits(64, 8, 64, 132) == 1);
}

TEST_CASE("edges of the heuristic") {
  CHECK(split_heuristic({.blocks = 1, .key_tiles = 0, .slots = 216}) == 1);
  CHECK(split_heuristic({.blocks = 1, .key_tiles = 1, .slots = 216}) == 1);
  CHECK(split_heuristic({.blocks = 8, .key_tiles = 64, .slots = 10}) == 1);            // 0.8 of the slots exactly
  CHECK(split_heuristic({.blocks = 1, .key_tiles = 100000, .slots = 100000}) == 109);  // 0.85 of 128
  for (Count key_tiles = 1; key_tiles < 200; ++key_tiles) {
    const Count splits = split_heuristic({.blocks = 3, .key_tiles = key_tiles, .slots = 216});
    const Count per_split = tiles_per_split(key_tiles, splits);
    INFO(key_tiles << " tiles, " << splits << " splits");
    CHECK((splits - 1) * per_split < key_tiles);  // the last split has a tile
  }
}

TEST_CASE("a point's splits: as asked for, else by its blocks, key tiles and slots") {
  Case point = tiled_case(1, 8192, 64, 128, {});
  point.problem.heads = 32;
  point.problem.kv_heads = 8;
  point.problem.packing = Packing::packed;
  CHECK(splits_of(point) == 22);
  point.options.split_slots = 264;
  CHECK(splits_of(point) == 32);
  point.options.splits = 5;
  CHECK(splits_of(point) == 5);
}

TEST_CASE("lost rows of practice 2 and others") {
  const Mask causal{.kind = MaskKind::causal};
  const auto window = [](Count left) { return Mask{.kind = MaskKind::window, .left = left, .right = 0, .pairs = {}}; };
  const auto lost = [](const Case& point, Walk walk) {
    return UnguardedRows(point.problem, point.tiling, walk).lost(UnvisitedRows::divided);
  };
  CHECK(lost(tiled_case(300, 300, 64, 100, causal), Walk::descending) == 44);
  CHECK(lost(tiled_case(300, 300, 100, 64, causal), Walk::descending) == 212);
  CHECK(lost(tiled_case(257, 257, 48, 33, causal), Walk::descending) == 147);
  CHECK(lost(tiled_case(1000, 1000, 64, 196, causal), Walk::descending) == 60);
  CHECK(lost(tiled_case(4096, 4096, 64, 196, causal), Walk::descending) == 520);
  CHECK(lost(tiled_case(300, 300, 64, 64, causal), Walk::descending) == 0);
  CHECK(lost(tiled_case(128, 128, 32, 128, causal), Walk::descending) == 0);
  CHECK(lost(tiled_case(1000, 1000, 64, 196, causal), Walk::ascending) == 0);
  CHECK(lost(tiled_case(1024, 1024, 64, 64, window(100)), Walk::ascending) == 392);
  CHECK(lost(tiled_case(1024, 1024, 64, 64, window(128)), Walk::ascending) == 0);
  CHECK(lost(tiled_case(300, 100, 64, 64, causal), Walk::ascending) == 200);
  const RowRange second =
      UnguardedRows(tiled_case(300, 300, 64, 100, causal).problem, {.block_q = 64, .block_k = 100}, Walk::descending)
          .surviving(1);
  CHECK(second.first == 100);
  CHECK(second.last == 128);
}

TEST_CASE("lost rows equal those that are found by looking") {
  std::mt19937_64 random(99);
  const auto upto = [&](Count n) { return std::uniform_int_distribution<Count>(0, n)(random); };
  for (int repetition = 0; repetition < 4000; ++repetition) {
    const MaskKind kinds[] = {MaskKind::none, MaskKind::causal, MaskKind::causal_top_left, MaskKind::window};
    Mask mask{.kind = kinds[upto(3)], .left = {}, .right = {}, .pairs = {}};
    if (mask.kind == MaskKind::window && upto(3) > 0) mask.left = upto(40);
    if (mask.kind == MaskKind::window && upto(3) > 0) mask.right = upto(40);
    Case point = tiled_case(1 + upto(60), upto(60), 1 + upto(20), 1 + upto(20), mask);
    point.problem.heads = 1 + upto(2);
    point.problem.kv_heads = 1;
    point.problem.packing = upto(1) == 0 ? Packing::packed : Packing::unpacked;
    for (const Walk walk : {Walk::ascending, Walk::descending}) {
      for (const UnvisitedRows unvisited : {UnvisitedRows::divided, UnvisitedRows::untouched}) {
        const UnguardedRows rows(point.problem, point.tiling, walk);
        INFO("repetition " << repetition);
        REQUIRE(rows.lost(unvisited) == lost_by_looking(point, walk, unvisited));
      }
    }
  }
}
