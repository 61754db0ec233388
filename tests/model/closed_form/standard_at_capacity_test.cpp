#include "model/closed_form/standard_at_capacity.hpp"

#include <algorithm>

#include "tests/support/catch.hpp"

using namespace tilemeter;

namespace {

/// The two GEMMs and the softmax, panel by panel, for panels of the given rows.
Count panel_by_panel(Count n, Count d, Count m, Count panel_rows) {
  Count moved = 0;
  for (Count row = 0; row < n; row += panel_rows) {
    const Count rows = std::min(panel_rows, n - row);
    moved += rows * d + n * d + rows * n;            // Q panel, all keys, the scores
    moved += (n > m ? 2 : 1) * rows * n + rows * n;  // softmax: S in, P out
    moved += rows * n + n * d + rows * d;            // the P panel, all values, the O panel
  }
  return moved;
}

}  // namespace

TEST_CASE("standard attention at a capacity: N = 4096, d = 64") {
  const auto total = [](Count m) { return standard_at_capacity(4096, 64, Elements(m)).total.value(); };
  CHECK(total(12500) == 79167488);
  CHECK(total(25000) == 73400320);
  CHECK(total(50000) == 70778880);
  CHECK(total(100000) == 69206016);
}

TEST_CASE("the formula equals its panels, and the panels fit") {
  for (const Count n : {1, 7, 64, 200}) {
    for (const Count d : {1, 3, 16}) {
      for (Count m = 2 * d + 1; m <= 300; ++m) {
        INFO("N " << n << " d " << d << " M " << m);
        const StandardAtCapacity bill = standard_at_capacity(n, d, Elements(m));
        REQUIRE(bill.panel_rows * d + d + bill.panel_rows <= m);
        REQUIRE((bill.panel_rows + 1) * (d + 1) + d > m);
        REQUIRE(bill.panels == ceil_div(n, bill.panel_rows));
        REQUIRE(bill.total.value() == panel_by_panel(n, d, m, bill.panel_rows));
      }
    }
  }
}

TEST_CASE("a capacity without room for one row is refused, and so is an overflow") {
  CHECK_THROWS_WITH(standard_at_capacity(8, 64, Elements(128)), contains("--sram 128el") && contains("at least 129"));
  CHECK_NOTHROW(standard_at_capacity(8, 64, Elements(129)));
  CHECK_THROWS_WITH(standard_at_capacity(0, 64, Elements(129)), contains("--seq 0"));
  CHECK_THROWS_AS(standard_at_capacity(Count{1} << 40, 64, Elements(5000)), FigureOverflow);
}
