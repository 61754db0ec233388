// Published numbers for N = 4096, d = 64: budgets of M elements with the paper's tile sizes.
#include <vector>

#include "model/closed_form/catalog.hpp"
#include "tests/support/catch.hpp"

using namespace tilemeter;

namespace {

Count total(std::string_view algorithm, Count seq, Count block_q, Count block_k) {
  Case point;
  point.problem.seq_q = point.problem.seq_k = seq;
  point.tiling.block_q = block_q;
  point.tiling.block_k = block_k;
  return closed_form(algorithm, point).total().total().value();
}

}  // namespace

TEST_CASE("traffic for the paper's tile sizes, by budget") {
  struct Row {
    Count m, block_q, block_k, flash1, flash2, flash2_swapped;
  };
  const std::vector<Row> rows = {{12500, 49, 49, 67960832, 44568576, 44568576},
                                 {25000, 64, 98, 34242560, 34082816, 22548480},
                                 {50000, 64, 196, 17383424, 34082816, 11538432},
                                 {100000, 64, 391, 9355264, 34082816, 6295552},
                                 {200000, 64, 782, 5341184, 34082816, 3674112}};
  for (const Row& row : rows) {
    INFO("M = " << row.m);
    CHECK(total("flash1", 4096, row.block_q, row.block_k) == row.flash1);
    CHECK(total("flash2", 4096, row.block_q, row.block_k) == row.flash2);
    CHECK(total("flash2", 4096, row.block_k, row.block_q) == row.flash2_swapped);
  }
}

TEST_CASE("traffic for tile sizes that fit the budget") {
  struct Row {
    Count fit_q, fit_k, fitting, best_k, flash1, best_q, flash2;
  };
  const std::vector<Row> rows = {{41, 41, 80805888, 95, 35848192, 94, 23597056},
                                 {64, 86, 39059456, 192, 18186240, 189, 12062720},
                                 {64, 217, 15777792, 386, 9355264, 380, 6295552},
                                 {64, 477, 7749632, 774, 5341184, 762, 3674112},
                                 {64, 998, 4538368, 1549, 2932736, 1525, 2101248}};
  for (const Row& row : rows) {
    INFO("tile " << row.fit_q << "x" << row.fit_k);
    CHECK(total("flash1", 4096, row.fit_q, row.fit_k) == row.fitting);
    CHECK(total("flash1", 4096, 1, row.best_k) == row.flash1);
    CHECK(total("flash2", 4096, row.best_q, 1) == row.flash2);
  }
}

TEST_CASE("standard against tiled attention, N = 512 ... 4096") {
  const Count standard[] = {1179648, 4456448, 17301504, 68157440};
  const Count tiled[] = {366592, 1335296, 4677632, 17383424};
  for (Count i = 0; i < 4; ++i) {
    const Count seq = Count{512} << i;
    INFO("N = " << seq);
    CHECK(total("standard", seq, 64, 196) == standard[i]);
    CHECK(total("flash1", seq, 64, 196) == tiled[i]);
  }
  // The break-even of the paper's sizes: Bc = 49 moves less than standard attention, Bc = 48 more.
  CHECK(total("flash1", 4096, 49, 49) < standard[3]);
  CHECK(total("flash1", 4096, 48, 48) == 69566464);
}
