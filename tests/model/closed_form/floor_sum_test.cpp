#include "model/closed_form/floor_sum.hpp"

#include <random>

#include "tests/support/catch.hpp"

using namespace tilemeter;

namespace {

Count floor_of(Count a, Count b) { return a / b - (a % b < 0 ? 1 : 0); }

Count summed(Count count, Count divisor, Count slope, Count offset) {
  Count sum = 0;
  for (Count i = 0; i < count; ++i) sum += floor_of(slope * i + offset, divisor);
  return sum;
}

}  // namespace

TEST_CASE("floor_sum equals the sum, for any sign of slope and offset") {
  for (Count count = 0; count <= 9; ++count) {
    for (Count divisor = 1; divisor <= 9; ++divisor) {
      for (Count slope = -20; slope <= 20; ++slope) {
        for (Count offset = -20; offset <= 20; ++offset) {
          if (floor_sum(count, divisor, slope, offset) == Wide(summed(count, divisor, slope, offset))) continue;
          FAIL("count " << count << " divisor " << divisor << " slope " << slope << " offset " << offset);
        }
      }
    }
  }
}

TEST_CASE("floor_sum equals long random sums") {
  constexpr std::uint32_t seed = 1;
  std::mt19937 engine(seed);
  std::uniform_int_distribution<Count> up_to(1, 5000);
  for (int i = 0; i < 500; ++i) {
    const Count count = up_to(engine), divisor = up_to(engine), slope = up_to(engine) - 2500,
                offset = up_to(engine) - 2500;
    INFO("seed " << seed << ": " << count << " " << divisor << " " << slope << " " << offset);
    REQUIRE(floor_sum(count, divisor, slope, offset).narrow() == summed(count, divisor, slope, offset));
  }
}

TEST_CASE("floor_sum of 2^60 terms ends at once, and is exact") {
  const Count n = Count{1} << 60;
  CHECK(floor_sum(n, 1, 1, 0) == floor_div(Wide(n) * (n - 1), 2));
  // Multiples of 2^20 counted 2^20 times each: 0 ... 2^40 - 1.
  CHECK(floor_sum(n, Count{1} << 20, 1, 0) == (Wide(Count{1} << 40) * ((Count{1} << 40) - 1)) * (Count{1} << 19));
  CHECK_THROWS_AS(floor_sum(Wide(n) * n, 1, Wide(n) * n, 0), UnnamedOverflow);
}
