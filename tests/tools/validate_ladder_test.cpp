// The rungs that rungs build on, as the kernels describe themselves.
#include "kernels/flash3_ladder.hpp"
#include "tests/support/catch.hpp"
#include "tools/validate/ladder.hpp"

using namespace tilemeter;

TEST_CASE("every rung of flash3 says the rung that it builds on") {
  for (const kernels::Flash3Rung& rung : kernels::flash3_rungs) {
    INFO(rung.name);
    const auto below = validation::rung_below(rung.name);
    const std::string idea(rung.idea);
    if (!below) {
      CHECK(rung.name == "flash3_rung1");
      CHECK(idea.find("rung") == std::string::npos);
      continue;
    }
    const std::string number = below->substr(std::string("flash3_rung").size());
    CHECK(idea.starts_with("rung " + number + " "));
  }
  CHECK_FALSE(validation::rung_below("flash3"));
  CHECK_FALSE(validation::rung_below("flash3_rung13"));
}
