// What a difference between predicted and measured bytes may mean.
#include "traces/ncu/comparison.hpp"

#include "tests/support/catch.hpp"

using namespace tilemeter;
using namespace tilemeter::ncu;

TEST_CASE("bytes at the edge of the SM agree within 0.1 % or 1 MiB, whichever is more") {
  constexpr Count mebibyte = Count{1} << 20;
  CHECK(agrees_at_sm_edge(Bytes(0), Bytes(mebibyte)));
  CHECK_FALSE(agrees_at_sm_edge(Bytes(0), Bytes(mebibyte + 1)));
  CHECK(agrees_at_sm_edge(Bytes(10'000'000'000), Bytes(10'010'000'000)));
  CHECK(agrees_at_sm_edge(Bytes(10'000'000'000), Bytes(9'990'000'000)));
  CHECK_FALSE(agrees_at_sm_edge(Bytes(10'000'000'000), Bytes(10'010'000'001)));
  CHECK_FALSE(agrees_at_sm_edge(Bytes(10'000'000'000), Bytes(9'989'999'999)));
}

TEST_CASE("E11: a ratio near 4 is suspected to be lines against sectors") {
  // 1922292 predicted DRAM reads against 480475 measured sectors.
  const auto suspicion = line_or_sector(Bytes(1922292), Bytes(480475));
  REQUIRE(suspicion.has_value());
  CHECK_THAT(*suspicion, contains("predicted bytes are four times") && contains("perhaps") && contains("128 bytes"));
  CHECK_THAT(line_or_sector(Bytes(480475), Bytes(1922292)).value_or(""), contains("measured bytes are four times"));
  for (const Count other : {0, 1, 100, 200, 380, 395, 405, 420, 800}) {
    CAPTURE(other);
    CHECK_FALSE(line_or_sector(Bytes(other), Bytes(100)).has_value());
  }
  CHECK(line_or_sector(Bytes(397), Bytes(100)).has_value());
}

TEST_CASE("E14: DRAM writes below the output are normal") {
  // An output of 4 MB in an L2 of 50 MB need not reach DRAM before the kernel ends.
  const Bytes output(4'000'000);
  const Bytes l2(50LL << 20);
  for (const Count written : {Count{0}, Count{3'999'999}, output.value()}) {
    CHECK(dram_writes(Bytes(written), output) == DramWrites::up_to_output);
  }
  CHECK(dram_writes(output + Bytes(1), output) == DramWrites::more_than_output);
  CHECK_THAT(to_text(DramWrites::up_to_output, l2),
             contains("normal") && contains("50.0 MiB") && contains("a larger output, or a flush"));
  CHECK_THAT(to_text(DramWrites::more_than_output, l2), contains("more than the output"));
}
