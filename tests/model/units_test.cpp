#include "model/units.hpp"

#include <limits>

#include "model/wide.hpp"
#include "tests/support/catch.hpp"

using namespace tilemeter;

TEST_CASE("amounts add and multiply, and refuse to wrap") {
  constexpr Count largest = std::numeric_limits<Count>::max();
  CHECK(Elements(3) + Elements(4) == Elements(7));
  CHECK(Bytes(5) * 6 == Bytes(30));
  CHECK_THROWS_AS(Elements(largest) + Elements(1), UnnamedOverflow);
  CHECK_THROWS_AS(Elements(largest / 2 + 1) * 2, UnnamedOverflow);
  CHECK((Elements(largest - 1) + Elements(1)).value() == largest);
}

TEST_CASE("an overflow is reported under the figure's name") {
  const auto overflow = [] { return named("S read elements", [] { return Elements(Count{1} << 62) * 2; }); };
  CHECK_THROWS_WITH(overflow(), contains("S read elements would pass 2^63 - 1"));
}

TEST_CASE("wide arithmetic is exact past 64 bits and checked past 128") {
  const Wide large = Wide(Count{1} << 62) * Wide(Count{1} << 62);
  CHECK(floor_div(large, Wide(Count{1} << 62)).narrow() == Count{1} << 62);
  CHECK_THROWS_AS(large.narrow(), UnnamedOverflow);
  CHECK_THROWS_AS(large * large, UnnamedOverflow);
  CHECK(floor_div(-7, 2).narrow() == -4);
  CHECK(floor_mod(-7, 2).narrow() == 1);
  CHECK(ceil_div(Wide(-7), Wide(2)).narrow() == -3);
}
