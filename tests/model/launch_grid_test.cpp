#include "model/launch_grid.hpp"

#include "tests/support/catch.hpp"

using namespace tilemeter;

namespace {

Case case_of(Count batch, Count heads, Count seq) {
  Case point;
  point.problem.batch = batch;
  point.problem.heads = point.problem.kv_heads = heads;
  point.problem.seq_q = point.problem.seq_k = seq;
  return point;
}

}  // namespace

TEST_CASE("each axis has a limit of its own") {
  CHECK_FALSE(axis_past_limit({2147483647, 65535, 65535}).has_value());
  CHECK(axis_past_limit({2147483648, 1, 1}) == GridAxis::x);
  CHECK(axis_past_limit({1, 65536, 1}) == GridAxis::y);
  CHECK(axis_past_limit({1, 1, 65536}) == GridAxis::z);
}

TEST_CASE("flash2 launches query tiles, batch and heads") {
  const KernelGrid grid = *launch_grid("flash2", "attention", case_of(3, 8, 1025));
  CHECK(grid.size == LaunchGrid{9, 3, 8});
  CHECK(grid.mapping() == "(query tiles, batch, heads)");
  CHECK(grid.size.blocks() == 216);
  CHECK_FALSE(grid_refusal(*launch_grid("flash2", "attention", case_of(65535, 1, 16))).has_value());
  CHECK(*grid_refusal(*launch_grid("flash2", "attention", case_of(65536, 1, 16))) == "grid.y: batch 65536 > 65535");
  CHECK(*grid_refusal(*launch_grid("flash2", "attention", case_of(1, 71280, 3))) ==
        "grid.z: heads 71280 > 65535; is the layout (B, H, N, d) mixed up with (B, N, H, d)?");
}

TEST_CASE("packed heads share the blocks of their K/V head") {
  Case point = case_of(2, 8, 100);
  point.problem.kv_heads = 2;
  point.problem.packing = Packing::packed;
  CHECK(launch_grid("flash2", "attention", point)->size == LaunchGrid{4, 2, 2});  // 400 rows in tiles of 128
}

TEST_CASE("a grid without a stated mapping is not guessed") {
  CHECK_FALSE(launch_grid("standard", "scores", case_of(1, 1, 1)).has_value());
  CHECK_FALSE(launch_grid("standard_tiled", "other", case_of(1, 1, 1)).has_value());
  CHECK(*grid_refusal({.size = {1, 4, 65538}}) == "grid.z: 65538 > 65535");
}

TEST_CASE("too many blocks to count are an error") {
  CHECK_THROWS_AS((LaunchGrid{1LL << 40, 1LL << 30, 2}.blocks()), FigureOverflow);
  Case point = case_of(1LL << 40, 1LL << 40, 1);
  CHECK_THROWS_AS(launch_grid("standard_tiled", "scores", point), FigureOverflow);
}
