// Errors together: on rows whose errors are known, every figure is the one worked out by hand.
#include "tests/support/catch.hpp"
#include "tests/tools/validate_rows.hpp"
#include "tools/validate/point.hpp"
#include "tools/validate/statistics.hpp"

using namespace tilemeter;
using namespace tilemeter::validation;

namespace {

std::vector<const Row*> pointers(const std::vector<Row>& rows) {
  std::vector<const Row*> list;
  for (const Row& row : rows) list.push_back(&row);
  return list;
}

constexpr double mebibyte = 1024.0 * 1024.0;

}  // namespace

TEST_CASE("mean, median, largest error and bias of four known errors") {
  std::vector<Row> rows;
  for (const double error : {0.01, -0.02, 0.04, -0.09}) rows.push_back(row_with(Metric::time, error));
  const ErrorSummary errors = summary_of(pointers(rows));
  CHECK(errors.count == 4);
  CHECK(errors.mean == Approx(0.04));
  CHECK(errors.median == Approx(0.03));
  CHECK(errors.most == Approx(0.09));
  CHECK(errors.bias == Approx(-0.015));
  CHECK(errors.worst == &rows[3]);
  CHECK_FALSE(errors.coverage);
  CHECK_FALSE(errors.roofline_mean);
}

TEST_CASE("an error is signed, and of nothing measured it is infinite unless nothing was predicted") {
  CHECK(row_with(Metric::time, -0.25).error() == Approx(-0.25));
  Row row = row_with(Metric::dram_write, 0, 0);
  CHECK(row.error() == 0);
  row.predicted = 1;
  CHECK(std::isinf(row.error()));
}

TEST_CASE("coverage is the share of rows whose interval holds what was measured") {
  std::vector<Row> rows(4, row_with(Metric::time, 0));
  for (Row& row : rows) {
    row.low = 900;
    row.high = 1100;
  }
  rows[1].low = 1000;  // an end belongs to the interval
  rows[2].low = 1001;
  rows[3].low = rows[3].high = std::nullopt;
  const ErrorSummary errors = summary_of(pointers(rows));
  CHECK(errors.intervals == 3);
  CHECK(*errors.coverage == Approx(2.0 / 3));
}

TEST_CASE("baselines are judged on the same rows, and not where one of them has none") {
  std::vector<Row> rows(2, row_with(Metric::time, 0));
  rows[0].baselines = {.roofline = 500, .two_level = 2000};
  rows[1].baselines = {.roofline = 900, .two_level = std::nullopt};
  const ErrorSummary errors = summary_of(pointers(rows));
  CHECK(*errors.roofline_mean == Approx(0.3));
  CHECK_FALSE(errors.two_level_mean);
}

TEST_CASE("medians, and a spread that one wild value does not move") {
  CHECK(median_of({3, 1, 2}) == 2);
  CHECK(median_of({4, 1, 2, 3}) == 2.5);
  CHECK_FALSE(robust_spread({1, 2}));
  CHECK(*robust_spread({1, 2, 3, 4, 5}) == Approx(1.4826));
  CHECK(*robust_spread({1, 2, 3, 4, 5000}) == Approx(1.4826));
}

TEST_CASE("the worst rows come first, whatever their sign") {
  std::vector<Row> rows;
  for (const double error : {0.01, -0.2, 0.1}) rows.push_back(row_with(Metric::time, error));
  const auto worst = worst_of(pointers(rows), 2);
  REQUIRE(worst.size() == 2);
  CHECK(worst[0] == &rows[1]);
  CHECK(worst[1] == &rows[2]);
}

TEST_CASE("bytes at the edge agree within 0.1 %, or 1 MiB where that is more, and 0.35 % where causal and ragged") {
  const double large = 4096 * mebibyte;
  CHECK(agrees_at_edge(large, large * 1.0009, false));
  CHECK_FALSE(agrees_at_edge(large, large * 1.0012, false));
  CHECK(agrees_at_edge(large, large * 0.9970, true));
  CHECK_FALSE(agrees_at_edge(large, large * 0.9964, true));
  CHECK(agrees_at_edge(10 * mebibyte, 11 * mebibyte, false));
  CHECK_FALSE(agrees_at_edge(10 * mebibyte, 11.1 * mebibyte, false));
}
