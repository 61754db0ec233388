// The bills of every algorithm against loops that execute them tile by tile.
#include <algorithm>
#include <string>

#include "model/closed_form/catalog.hpp"
#include "tests/model/closed_form/direct_loops.hpp"
#include "tests/model/closed_form/random_case.hpp"
#include "tests/support/catch.hpp"

using namespace tilemeter;

namespace {

constexpr std::string_view algorithms[] = {
    "standard",  //
    "standard_tiled", "standard_unfused", "flash1", "flash2", "flash3", "split_kv", "zigzag",
};

bool takes_visited_tiles(std::string_view algorithm) { return !algorithm.starts_with("standard"); }

void check_equal(const Work& formula, const Work& loops) {
  for (std::size_t i = 0; i < tensor_count; ++i) {
    INFO(tensor_names[i]);
    REQUIRE(formula.tensors[i].read.value() == loops.tensors[i].read.value());
    REQUIRE(formula.tensors[i].write.value() == loops.tensors[i].write.value());
    REQUIRE(formula.tensors[i].read_bytes.value() == loops.tensors[i].read_bytes.value());
    REQUIRE(formula.tensors[i].write_bytes.value() == loops.tensors[i].write_bytes.value());
  }
  REQUIRE(formula.matmul_flops.value() == loops.matmul_flops.value());
  REQUIRE(formula.exp.scores == loops.exp.scores);
  REQUIRE(formula.tiles == loops.tiles);
  REQUIRE(formula == loops);
}

/// Sum over the tiles of the loops' map: what compulsory() must charge for one stream's Q and one K/V head's K.
struct NeededRows {
  Count query = 0;
  Count key = 0;
};

NeededRows needed_rows(std::string_view algorithm, const Case& point) {
  const Problem& p = point.problem;
  if (!takes_visited_tiles(algorithm)) {
    return p.rows() * p.seq_k == 0 ? NeededRows{} : NeededRows{.query = p.rows(), .key = p.seq_k};
  }
  const TileMap map(p, point.tiling.block_q, point.tiling.block_k);
  NeededRows needed;
  for (Count a = 0; a < map.query_tiles(); ++a) needed.query += map.query_tile_visited(a) ? map.query_rows(a) : 0;
  for (Count j = 0; j < map.key_tiles(); ++j) needed.key += map.key_tile_visited(j) ? map.key_rows(j) : 0;
  return needed;
}

}  // namespace

TEST_CASE("every bill equals the loops that it describes, per tensor") {
  constexpr std::uint32_t seed = 20240607;
  RandomCases cases(seed);
  for (int i = 0; i < 3000; ++i) {
    const Case point = cases.point();
    for (const std::string_view algorithm : algorithms) {
      INFO("seed " << seed << " case " << i << ": " << algorithm << " " << describe(point));
      check_equal(closed_form(algorithm, point), direct_bill(algorithm, point));
    }
  }
}

TEST_CASE("compulsory traffic counts needed inputs and outputs once, and no bill is below it") {
  constexpr std::uint32_t seed = 77;
  RandomCases cases(seed);
  for (int i = 0; i < 1500; ++i) {
    const Case point = cases.point();
    const Problem& p = point.problem;
    for (const std::string_view algorithm : algorithms) {
      INFO("seed " << seed << " case " << i << ": " << algorithm << " " << describe(point));
      const Work least = compulsory(algorithm, point);
      const NeededRows rows = needed_rows(algorithm, point);
      REQUIRE(least[TensorName::Q].read.value() == p.streams() * rows.query * p.head_dim);
      REQUIRE(least[TensorName::K].read.value() == p.batch * p.kv_heads * rows.key * p.head_dim);
      REQUIRE(least[TensorName::V].read.value() == p.batch * p.kv_heads * rows.key * p.head_dim_v);
      REQUIRE(least[TensorName::O].write.value() == p.batch * p.heads * p.seq_q * p.head_dim_v);
      REQUIRE(least.total().total() == least[TensorName::Q].read + least[TensorName::K].read +
                                           least[TensorName::V].read + least[TensorName::O].write);
      const Work bill = closed_form(algorithm, point);
      for (const TensorName tensor : {TensorName::Q, TensorName::K, TensorName::V}) {
        REQUIRE(least[tensor].read <= bill[tensor].read);
        REQUIRE(least[tensor].read_bytes <= bill[tensor].read_bytes);
      }
      // The listing of flash1 leaves the rows of dead tiles as its initial values, whose writing it does not count.
      if (algorithm != "flash1") REQUIRE(least[TensorName::O] == bill[TensorName::O]);
    }
  }
}

TEST_CASE("edges: no keys, no query rows, an arbitrary mask") {
  Case point;
  point.problem.seq_q = 5;
  point.problem.seq_k = 0;
  SECTION("without keys O is written and K, V are not read; only the textbook GEMM reads Q") {
    for (const std::string_view algorithm : {"standard", "standard_tiled", "standard_unfused", "flash2"}) {
      INFO(algorithm);
      const Work work = closed_form(algorithm, point);
      CHECK(work[TensorName::O].write == Elements(5 * 64));
      CHECK(work[TensorName::K].empty());
      CHECK(work[TensorName::V].empty());
      CHECK(work[TensorName::Q].empty() == (algorithm == "standard_tiled" || algorithm == "flash2"));
      CHECK(work.tiles == 0);
    }
    CHECK(closed_form("flash1", point).total().total() == Elements(0));
    CHECK(closed_form("flash2", point)[TensorName::LSE].write == Elements(5));
  }
  SECTION("without query rows nothing moves") {
    point.problem.seq_q = 0;
    point.problem.seq_k = 7;
    for (const std::string_view algorithm : algorithms) {
      INFO(algorithm);
      CHECK(closed_form(algorithm, point) == Work{});
      CHECK(compulsory(algorithm, point) == Work{});
    }
  }
  SECTION("an arbitrary mask leaves the full rectangle of standard, and the tiled loops refuse it") {
    point.problem.seq_k = 3;
    const Work unmasked = closed_form("standard", point);
    point.problem.mask.kind = MaskKind::arbitrary;
    point.problem.mask.pairs =
        std::make_shared<PairMatrix>(PairMatrix{.rows = 5, .cols = 3, .visible = std::vector<bool>(15, false)});
    CHECK(closed_form("standard", point) == unmasked);
    CHECK_NOTHROW(closed_form("standard_tiled", point));
    CHECK_NOTHROW(closed_form("standard_unfused", point));
    for (const std::string_view algorithm : {"flash1", "flash2"}) {
      CHECK_THROWS_WITH(closed_form(algorithm, point),
                        contains(std::string(algorithm) + " takes the masks none, causal, causal_top_left and window"));
    }
  }
}

TEST_CASE("input that no bill accepts is named") {
  const Case point;
  CHECK_THROWS_WITH(closed_form("flash9", point),
                    contains("--algorithm flash9") && contains("standard_unfused, flash1"));
  const auto refused = [](auto change) {
    Case changed;
    change(changed);
    return [changed] { return closed_form("flash1", changed); };
  };
  CHECK_THROWS_WITH(refused([](Case& c) { c.tiling.block_q = 0; })(), contains("--block-q 0"));
  CHECK_THROWS_WITH(refused([](Case& c) { c.tiling.block_k = -1; })(), contains("--block-k -1"));
  CHECK_THROWS_WITH(refused([](Case& c) { c.tiling.block_d = -1; })(), contains("--block-d -1"));
  CHECK_THROWS_WITH(refused([](Case& c) { c.options.row_splits = 0; })(), contains("--row-splits 0"));
  CHECK_THROWS_WITH(refused([](Case& c) { c.problem.heads = 0; })(), contains("--heads 0"));
  CHECK_THROWS_WITH(refused([](Case& c) {
                      c.options.init = StatisticsInit::counted;
                      c.options.first_visit = FirstVisit::elides_read;
                    })(),
                    contains("--init with --elide-first"));
}
