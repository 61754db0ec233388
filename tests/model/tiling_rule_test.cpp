#include "model/tiling_rule.hpp"

#include <array>
#include <limits>
#include <random>
#include <tuple>

#include "tests/model/tiling_support.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/repetitions.hpp"

using namespace tilemeter;
using namespace tilemeter::testing;

TEST_CASE("table of tile sizes and traffic at N = 4096, d = 64") {
  struct Row {
    Count capacity;
    Size paper;
    bool paper_fits;
    Size fit;
    Count flash1_optimum, flash2_optimum;
    Count paper_traffic, fit_traffic, flash1_traffic, flash2_traffic, flash2_paper_traffic;
  };
  const Case point = square_case(4096, 64);
  for (const Row& row :
       {Row{12500, {49, 49}, false, {41, 41}, 95, 94, 67960832, 80805888, 35848192, 23597056, 44568576},
        Row{25000, {64, 98}, false, {64, 86}, 192, 189, 34242560, 39059456, 18186240, 12062720, 34082816},
        Row{50000, {64, 196}, true, {64, 217}, 386, 380, 17383424, 15777792, 9355264, 6295552, 34082816},
        Row{100000, {64, 391}, true, {64, 477}, 774, 762, 9355264, 7749632, 5341184, 3674112, 34082816},
        Row{200000, {64, 782}, true, {64, 998}, 1549, 1525, 5341184, 4538368, 2932736, 2101248, 34082816}}) {
    const Budget budget = element_budget(row.capacity);
    CAPTURE(row.capacity);
    CHECK(sizes("flash1", point, BlockRule::paper, budget) == row.paper);
    CHECK((overflow_of("flash1", tiled(point, row.paper.first, row.paper.second), budget) == 0) == row.paper_fits);
    CHECK(sizes("flash1", point, BlockRule::fit, budget) == row.fit);
    CHECK(sizes("flash1", point, BlockRule::optimum, budget) == Size{1, row.flash1_optimum});
    CHECK(sizes("flash2", point, BlockRule::optimum, budget) == Size{row.flash2_optimum, 1});
    CHECK(elements_moved("flash1", point, BlockRule::paper, row.capacity) == row.paper_traffic);
    CHECK(elements_moved("flash1", point, BlockRule::fit, row.capacity) == row.fit_traffic);
    CHECK(elements_moved("flash1", point, BlockRule::optimum, row.capacity) == row.flash1_traffic);
    CHECK(elements_moved("flash2", point, BlockRule::optimum, row.capacity) == row.flash2_traffic);
    CHECK(elements_moved("flash2", point, BlockRule::paper, row.capacity) == row.flash2_paper_traffic);
  }
}

TEST_CASE("the fit of a Q-outer loop swaps the roles, and has no room for S forgotten") {
  const Case point = square_case(4096, 64);
  CHECK(sizes("flash2", point, BlockRule::fit, element_budget(50000)) == Size{215, 64});
}

TEST_CASE("sizes for budgets in bytes, fp16 operands and fp32 accumulators") {
  struct Row {
    Count kibibytes, d, flash1_optimum;
    Size flash1_fit;
    Count flash2_optimum;
  };
  // At 163 KiB and d = 128, Br = d would leave Bc = 66; with Br = min(Bc, d) both reach 99.
  for (const Row& row : {Row{163, 64, 640, {64, 277}, 420}, Row{163, 128, 321, {99, 99}, 213},
                         Row{227, 64, 892, {64, 405}, 586}, Row{227, 128, 448, {128, 130}, 297}}) {
    const Case point = square_case(1 << 20, row.d);
    const Count capacity = row.kibibytes * kib;
    const Budget budget = byte_budget(capacity);
    CAPTURE(row.kibibytes, row.d);
    CHECK(sizes("flash1", point, BlockRule::optimum, budget) == Size{1, row.flash1_optimum});
    CHECK(sizes("flash2", point, BlockRule::optimum, budget) == Size{row.flash2_optimum, 1});
    CHECK(row.flash1_optimum == (capacity - 6 * row.d - 8) / (4 * row.d + 4));
    CHECK(row.flash2_optimum == (capacity - 4 * row.d) / (6 * row.d + 12));
    CHECK(sizes("flash1", point, BlockRule::fit, budget) == row.flash1_fit);
    const Count bytes_at_d_rows = footprint_of(on_chip_tiles("flash1", tiled(point, row.d, 66))).bytes().value();
    CHECK(bytes_at_d_rows == 8 * row.d * 66 + 6 * row.d * row.d + 8 * row.d);
  }
}

TEST_CASE("optimal sizes equal their floor formulas for every capacity") {
  for (const Count d : {1, 3, 16, 64}) {
    const Case point = square_case(1 << 20, d);
    for (Count capacity = 4 * d + 3; capacity < 4 * d + 3000; capacity += 29) {
      const Budget budget = element_budget(capacity);
      CHECK(resolve_tiling("flash1", point, BlockRule::optimum, budget, any_size).block_k ==
            (capacity - 2 * d - 2) / (2 * d + 1));
      CHECK(resolve_tiling("flash2", point, BlockRule::optimum, budget, any_size).block_q ==
            (capacity - 2 * d) / (2 * d + 3));
    }
  }
}

TEST_CASE("where the paper's sizes fit: never while Bc <= d, never below 8d^2 + 8d, always from 8d^2 + 17d") {
  for (const Count d : {2, 3, 5, 8, 16, 24, 32, 48, 64, 96, 128, 256}) {
    const Case point = square_case(1 << 20, d);
    const auto paper_fits = [&](Count capacity) {
      const Budget budget = element_budget(capacity);
      const Size size = sizes("flash1", point, BlockRule::paper, budget);
      REQUIRE(size == Size{std::min(d, ceil_div(capacity, 4 * d)), ceil_div(capacity, 4 * d)});
      return overflow_of("flash1", tiled(point, size.first, size.second), budget) == 0;
    };
    const auto expected = [d](Count m) {
      const Count past = m - 8 * d * d;
      return past == 8 * d || (past >= 11 * d && past <= 12 * d) || (past >= 14 * d && past <= 16 * d) ||
             past >= 17 * d;
    };
    const Count stride = d <= 8 ? 1 : d / 2 - 1;
    for (Count capacity = 1; capacity < 8 * d * d; capacity += stride) {
      if (paper_fits(capacity)) FAIL("fits: d " << d << ", M " << capacity);
    }
    for (Count capacity = 8 * d * d; capacity < 8 * d * d + 40 * d; ++capacity) {
      if (paper_fits(capacity) != expected(capacity)) FAIL("d " << d << ", M " << capacity);
    }
  }
}

TEST_CASE("below 4d + 3 elements not even 1x1 fits, and the message says what it needs") {
  const Case point = square_case(4096, 64);
  for (const char* algorithm : {"flash1", "flash2"}) {
    for (const BlockRule rule : {BlockRule::fit, BlockRule::optimum}) {
      CHECK(sizes(algorithm, point, rule, element_budget(4 * 64 + 3)) == Size{1, 1});
      CHECK_THROWS_WITH(resolve_tiling(algorithm, point, rule, element_budget(4 * 64 + 2), any_size),
                        contains("not even the smallest tiling fits") && contains("1x1, d=64 needs 259 elements") &&
                            contains("--sram 258el allows 258 elements"));
    }
  }
}

TEST_CASE("fit fits, and one step more does not") {
  std::mt19937 random(20240601);
  const auto upto = [&](Count limit) { return std::uniform_int_distribution<Count>(1, limit)(random); };
  int grown = 0;
  for (int trial = 0; trial < testing::repetitions(2000); ++trial) {
    Case point;
    point.problem.seq_q = upto(600);
    point.problem.seq_k = upto(600);
    point.problem.head_dim = upto(96);
    point.problem.head_dim_v = upto(96);
    point.tiling.stages = upto(3);
    const Count step = trial % 2 == 0 ? 1 : 16;
    const Budget budget = trial % 3 == 0 ? element_budget(upto(60000)) : byte_budget(upto(200000));
    const std::string algorithm = trial % 5 == 0 ? "standard_tiled" : trial % 5 < 3 ? "flash1" : "flash2";
    point.options.row_softmax = resolve_row_softmax(algorithm, point, budget);
    CAPTURE(trial, algorithm, step, budget.owner);
    if (overflow_of(algorithm, tiled(point, step, step), budget) > 0) {
      CHECK_THROWS_AS(resolve_tiling(algorithm, point, BlockRule::fit, budget, {step}), InputError);
      continue;
    }
    const auto [block_q, block_k] = sizes(algorithm, point, BlockRule::fit, budget, {step});
    CHECK((block_q % step == 0 && block_k % step == 0));
    CHECK(overflow_of(algorithm, tiled(point, block_q, block_k), budget) == 0);
    const Count follower = std::max(step, point.problem.head_dim / step * step);
    Size larger{block_q + step, block_k + step};
    if (algorithm == "flash1") larger.first = std::min(larger.second, follower);
    if (algorithm == "flash2") larger.second = std::min(larger.first, follower);
    const Count rows = ceil_div(point.problem.seq_q, step) * step;
    const Count keys = ceil_div(point.problem.seq_k, step) * step;
    CHECK((block_q <= rows && block_k <= keys));
    if (block_q == rows || block_k == keys) continue;
    ++grown;
    CHECK(overflow_of(algorithm, tiled(point, larger.first, larger.second), budget) > 0);
  }
  CHECK(grown > 200);
}

TEST_CASE("a single query still gets a whole K/V tile") {
  Case point = square_case(8192, 128);
  point.problem.seq_q = 1;
  CHECK(sizes("flash2", point, BlockRule::fit, gpu_budget(232448, "h200"), device_sizes) == Size{16, 128});
  CHECK(sizes("flash2", point, BlockRule::fit, element_budget(100000)) == Size{1, 128});
  point = square_case(10, 64);
  point.problem.seq_q = 4096;
  CHECK(sizes("flash1", point, BlockRule::fit, element_budget(50000)) == Size{64, 10});
}
