// Traces read back as JSON: valid, rows named, no overlap on a row, times to the picosecond.
#include "traces/chrome.hpp"

#include <algorithm>
#include <clocale>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/support/catch.hpp"

using namespace tilemeter;
using Json = nlohmann::json;

namespace {

std::string text_of(const Timeline& timeline) {
  std::string text;
  write_chrome_trace(timeline, [&](std::string_view piece) { text += piece; });
  return text;
}

/// Two SMs; on SM 0 two blocks whose waits overlap.
Timeline two_sms() {
  return {.title = "flash2 \"128x128\"\n",
          .spans = {
              {.sm = 0, .unit = SmUnit::load, .phase = Phase::load_k, .block = 0, .begin = 0, .end = 1'000'000},
              {.sm = 1, .unit = SmUnit::load, .phase = Phase::load_k, .block = 1, .begin = 500'000, .end = 1'500'001},
              {.sm = 0,
               .unit = SmUnit::tensor,
               .phase = Phase::scores,
               .block = 0,
               .begin = 1'000'000,
               .end = 1'000'007,
               .after = Wait::hbm,
               .waited = 1'000'000},
              {.sm = 0,
               .unit = SmUnit::tensor,
               .phase = Phase::scores,
               .block = 2,
               .begin = 1'000'007,
               .end = 3'000'000,
               .after = Wait::tensor,
               .waited = 600'000},
              {.sm = 0,
               .unit = SmUnit::exp,
               .phase = Phase::softmax,
               .block = 0,
               .begin = 1'000'010,
               .end = 2'000'000,
               .after = Wait::order,
               .waited = 3},
          }};
}

/// Events of one phase letter.
std::vector<Json> events(const Json& trace, const std::string& kind) {
  std::vector<Json> found;
  for (const Json& event : trace.at("traceEvents")) {
    if (event.at("ph") == kind) found.push_back(event);
  }
  return found;
}

Picoseconds picoseconds(const Json& microseconds) {
  return static_cast<Picoseconds>(std::llround(microseconds.get<double>() * 1e6));
}

}  // namespace

TEST_CASE("microseconds have picosecond digits in every locale") {
  CHECK(microseconds_text(0) == "0.000000");
  CHECK(microseconds_text(12'345'678) == "12.345678");
  CHECK(microseconds_text(1) == "0.000001");
  CHECK(microseconds_text(-1'500'000) == "-1.500000");
  CHECK(microseconds_text(9223372036854775807) == "9223372036854.775807");
  for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8"}) {
    if (std::setlocale(LC_ALL, name) == nullptr) continue;
    CHECK(microseconds_text(1'234'567'890'123) == "1234567.890123");
  }
  std::setlocale(LC_ALL, "C");
}

TEST_CASE("a trace is valid JSON with every span and every wait") {
  const Json trace = Json::parse(text_of(two_sms()));
  CHECK(trace.at("otherData").at("title") == "flash2 \"128x128\"\n");
  const auto spans = events(trace, "X");
  REQUIRE(spans.size() == 5 + 3);
  const Json& first_scores = spans[3];
  CHECK(first_scores.at("name") == "scores");
  CHECK(first_scores.at("cat") == "tensor");
  CHECK(picoseconds(first_scores.at("ts")) == 1'000'000);
  CHECK(picoseconds(first_scores.at("dur")) == 7);
  CHECK(first_scores.at("args").at("waited for") == "hbm");
  CHECK(spans[2].at("cat") == "wait");
  CHECK(spans[2].at("name") == "hbm");
  CHECK(picoseconds(spans[2].at("dur")) == 1'000'000);
  CHECK(spans[2].at("args").at("before") == "scores");
}

TEST_CASE("metadata names a process an SM and a row a unit") {
  const Json trace = Json::parse(text_of(two_sms()));
  std::map<std::string, std::set<std::string>> names;
  for (const Json& event : events(trace, "M")) {
    if (event.at("name") == "process_name") names[event.at("args").at("name")];
    if (event.at("name") == "thread_name") {
      names["SM " + std::to_string(event.at("pid").get<int>())].insert(event.at("args").at("name"));
    }
  }
  const std::set<std::string> units = {"tensor", "exp", "fma", "alu", "shared", "load", "store"};
  CHECK(names.size() == 2);
  CHECK(names["SM 1"] == units);
  std::set<std::string> with_waits = units;
  with_waits.insert({"waits", "waits 2"});
  CHECK(names["SM 0"] == with_waits);
}

TEST_CASE("nothing overlaps on a row") {
  const Json trace = Json::parse(text_of(two_sms()));
  std::map<std::pair<int, int>, std::vector<std::pair<Picoseconds, Picoseconds>>> rows;
  for (const Json& event : events(trace, "X")) {
    const Picoseconds begin = picoseconds(event.at("ts"));
    rows[{event.at("pid"), event.at("tid")}].emplace_back(begin, begin + picoseconds(event.at("dur")));
  }
  for (auto& [row, spans] : rows) {
    std::sort(spans.begin(), spans.end());
    for (std::size_t i = 1; i < spans.size(); ++i) CHECK(spans[i - 1].second <= spans[i].first);
  }
}

TEST_CASE("an empty timeline is an empty trace") {
  CHECK(Json::parse(text_of({.title = "nothing", .spans = {}})).at("traceEvents").empty());
}

TEST_CASE("units and waits have names of their own") {
  std::set<std::string_view> names;
  for (const SmUnit unit : sm_units) names.insert(name_of(unit));
  CHECK(names.size() == sm_unit_count);
  names.clear();
  for (const Wait wait : wait_causes) names.insert(name_of(wait));
  CHECK(names.size() == wait_count);
}
