// Pins: an error that grew by more than the slack is named, one that shrank is not.
#include "model/error.hpp"
#include "tests/support/catch.hpp"
#include "tools/validate/pins.hpp"

using namespace tilemeter;
using namespace tilemeter::validation;

namespace {

Json document_with(double mean, double most) {
  Json summary = {{"split", "length"}, {"role", "held out"}, {"metric", "time"}, {"who", "flash3"},
                  {"count", 12},       {"mean", mean},       {"max", most}};
  return {{"device", "h200"}, {"summaries", Json::array({summary})}};
}

std::vector<std::string> broken(const Json& now, const Json& then) {
  return broken_pins(now, text_of_pins(pins_of(then)), "pins.json");
}

}  // namespace

TEST_CASE("an error may grow by 0.3 points and no more") {
  CHECK(broken(document_with(0.05, 0.10), document_with(0.05, 0.10)).empty());
  CHECK(broken(document_with(0.053, 0.103), document_with(0.05, 0.10)).empty());
  CHECK(broken(document_with(0.01, 0.02), document_with(0.05, 0.10)).empty());
  const auto worse = broken(document_with(0.0532, 0.15), document_with(0.05, 0.10));
  REQUIRE(worse.size() == 2);
  CHECK(worse[0] == "time, split length, held out, flash3: mean error 5.32 %, pinned at 5.00 %");
  CHECK(worse[1] == "time, split length, held out, flash3: max error 15.00 %, pinned at 10.00 %");
}

TEST_CASE("a pin whose rows have gone fails, one of a split that was not made does not") {
  Json now = document_with(0.05, 0.10);
  now["summaries"][0]["who"] = "flash2";
  REQUIRE(broken(now, document_with(0.05, 0.10)).size() == 1);
  CHECK_THAT(broken(now, document_with(0.05, 0.10)).front(), contains("flash3") && contains("no longer there"));
  now["summaries"][0]["split"] = "dim";
  CHECK(broken(now, document_with(0.05, 0.10)).empty());
}

TEST_CASE("an error that has become infinite fails") {
  Json now = document_with(0.05, 0.10);
  now["summaries"][0]["max"] = nullptr;
  CHECK(broken(now, document_with(0.05, 0.10)).size() == 1);
  CHECK(broken(document_with(0.05, 0.10), now).empty());
}

TEST_CASE("what is no file of pins is refused by name") {
  const Json now = document_with(0.05, 0.10);
  for (const char* text : {"", "[]", "{\"pins\": 1}", "{\"pins\": [{}]}"}) {
    CHECK_THROWS_WITH(broken_pins(now, text, "mine.json"), contains("--pins mine.json"));
  }
}
