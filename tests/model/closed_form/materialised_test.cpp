// materialised against the textbook count, loops over tiles, its footprint, and FlashAttention-2 at equal M.
#include <algorithm>
#include <limits>
#include <random>

#include "model/closed_form/materialised.hpp"
#include "model/footprint.hpp"
#include "tests/model/tiling_support.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/repetitions.hpp"

using namespace tilemeter;
using namespace tilemeter::testing;

namespace {

/// Tile by tile, column by column.
Count loops(const Case& point) {
  const Problem& p = point.problem;
  const Tiling& t = point.tiling;
  Count moved = 0;
  for (Count row = 0; row < p.seq_q; row += t.block_q) {
    const Count rows = std::min(t.block_q, p.seq_q - row);
    for (Count key = 0; key < p.seq_k; key += t.block_k) {
      const Count keys = std::min(t.block_k, p.seq_k - key);
      moved += p.head_dim * (rows + keys) + rows * keys;  // columns of Q and K; the scores
      moved += rows * keys;                               // statistics read the scores
    }
    moved += 2 * rows;  // l and m
    for (Count col = 0; col < p.head_dim_v; col += t.block_k) {
      const Count cols = std::min(t.block_k, p.head_dim_v - col);
      moved += 2 * rows + p.seq_k * (rows + cols) + rows * cols;  // statistics; columns of S, rows of V; O
    }
  }
  return moved;
}

Count elements_at(std::string_view algorithm, Count seq, Count head_dim, Count capacity) {
  return elements_moved(algorithm, square_case(seq, head_dim), BlockRule::optimum, capacity);
}

/// With the square tile of M elements.
Count with_square_tile(Count seq, Count head_dim, Count capacity) {
  const Count side = side_of_square_tile(capacity);
  return closed_form("materialised", tiled(square_case(seq, head_dim), side, side)).total().total().value();
}

}  // namespace

TEST_CASE("materialised: the bill is that of the loops") {
  std::mt19937_64 random(6);
  const auto between = [&](Count low, Count high) { return std::uniform_int_distribution<Count>(low, high)(random); };
  for (int repetition = 0; repetition < testing::repetitions(2000); ++repetition) {
    Case point;
    point.problem = {.seq_q = between(1, 60), .seq_k = between(0, 60), .head_dim = between(1, 20)};
    point.problem.head_dim_v = between(1, 20);
    point.tiling = {.block_q = between(1, 70), .block_k = between(1, 70)};
    INFO(point.problem.seq_q << "x" << point.problem.seq_k << " d " << point.problem.head_dim << " dv "
                             << point.problem.head_dim_v << " tile " << point.tiling.block_q << "x"
                             << point.tiling.block_k);
    REQUIRE(closed_form("materialised", point).total().total().value() == loops(point));
  }
}

TEST_CASE("materialised: square tiles give the published count, and fit M = b^2 + 2b to the element") {
  for (const Count n : {64, 1000, 8192}) {
    for (const Count d : {16, 64, 100}) {
      for (Count b = 1; b <= 40; b += 3) {
        INFO("N " << n << " d " << d << " b " << b);
        const Case point = tiled(square_case(n, d), b, b);
        const Count rows = ceil_div(n, b), columns = ceil_div(d, b);
        CHECK(closed_form("materialised", point).total().total().value() ==
              2 * n * d * rows + n * n + n * n + 2 * n + n * n * columns + n * d * rows + 2 * n * columns + n * d);
        CHECK(overflow_of("materialised", point, element_budget(b * b + 2 * b)) == 0);
        CHECK(overflow_of("materialised", point, element_budget(b * b + 2 * b - 1)) == 1);
      }
    }
  }
}

TEST_CASE("materialised: the side of a square tile") {
  for (Count b = 0; b < 200; ++b) {
    CHECK(side_of_square_tile(b * b + 2 * b) == b);
    CHECK(side_of_square_tile(b * b + 4 * b + 2) == b);
  }
  CHECK(side_of_square_tile((Count{1} << 62) - 1) == (Count{1} << 31) - 1);
}

TEST_CASE("materialised: rules") {
  const Case point = square_case(8192, 64);
  CHECK(sizes("materialised", point, BlockRule::fit, element_budget(1023)) == Size(31, 31));
  CHECK(sizes("materialised", point, BlockRule::paper, element_budget(1023)) == Size(31, 31));
  CHECK(sizes("materialised", point, BlockRule::fit, element_budget(1022)) == Size(30, 30));
  CHECK_THROWS_WITH(sizes("materialised", point, BlockRule::fit, element_budget(2)), contains("not even the smallest"));
}

TEST_CASE("materialised: the optimum is the least of all rectangles") {
  for (const Count seq_k : {5, 23}) {
    for (const Count d_v : {3, 17}) {
      for (const Count capacity : {3, 20, 90, 400}) {
        Case point = square_case(19, 7);
        point.problem.seq_k = seq_k;
        point.problem.head_dim_v = d_v;
        const Budget budget = element_budget(capacity);
        Count least = std::numeric_limits<Count>::max();
        for (Count rows = 1; rows <= 19; ++rows) {
          for (Count keys = 1; keys <= 30; ++keys) {
            const Case candidate = tiled(point, rows, keys);
            if (overflow_of("materialised", candidate, budget) > 0) continue;
            least = std::min(least, closed_form("materialised", candidate).total().total().value());
          }
        }
        INFO("Nk " << seq_k << " dv " << d_v << " M " << capacity);
        CHECK(elements_moved("materialised", point, BlockRule::optimum, capacity) == least);
      }
    }
  }
}

TEST_CASE("materialised beats FlashAttention-2 below an M of 0.50 to 0.59 d^2") {
  // The last M at which it moves no more, and the first at which it moves more, N = 8192.
  struct Crossing {
    Count head_dim, last_not_worse, first_worse;
  };
  for (const Crossing& known : {Crossing{32, 599, 600}, Crossing{64, 2223, 2224}, Crossing{128, 8543, 8285}}) {
    const Count d = known.head_dim;
    Count last = 0;
    Count first = 0;
    for (Count m = d * d / 4; m <= d * d; ++m) {
      const bool worse = with_square_tile(8192, d, m) > elements_at("flash2", 8192, d, m);
      if (!worse) last = m;
      if (worse && first == 0) first = m;
    }
    INFO("d " << d);
    CHECK(last == known.last_not_worse);
    CHECK(first == known.first_worse);
    CHECK(static_cast<double>(std::min(first, last)) >= 0.50 * static_cast<double>(d * d));
    CHECK(static_cast<double>(std::max(first, last)) <= 0.59 * static_cast<double>(d * d));
  }
}
