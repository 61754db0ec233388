// Verdicts: each metric by its own limit, none excused by another, and the rows behind a missed one named.
#include <algorithm>

#include "tests/support/catch.hpp"
#include "tests/tools/validate_rows.hpp"
#include "tools/validate/ladder.hpp"
#include "tools/validate/summary.hpp"

using namespace tilemeter;
using namespace tilemeter::validation;

namespace {

Verdict only_verdict(const std::vector<Row>& rows) {
  std::vector<Verdict> verdicts = verdicts_of(rows);
  REQUIRE(verdicts.size() == 1);
  return verdicts.front();
}

Row other(Row row) {
  row.own = false;
  row.kernel = "fa2";
  return row;
}

Row rung(const char* kernel, double measured, double predicted) {
  Row row = time_with(0, "none", Role::unfitted, measured);
  row.kernel = kernel;
  row.predicted = predicted;
  return row;
}

}  // namespace

TEST_CASE("bytes per tensor are exact or the verdict is missed and the program fails") {
  std::vector<Row> rows(3, row_with(Metric::tensors, 0));
  CHECK(only_verdict(rows).status == Status::kept);
  CHECK_FALSE(fails(only_verdict(rows)));
  rows[1].within = false;  // equal in sum, different in a tensor
  const Verdict verdict = only_verdict(rows);
  CHECK(verdict.status == Status::missed);
  CHECK(fails(verdict));
  REQUIRE(verdict.worst.size() == 1);
  CHECK(verdict.worst.front() == &rows[1]);
  CHECK_THAT(verdict.words, contains("2 of 3 rows within"));
}

TEST_CASE("device memory is judged by median and largest error") {
  std::vector<Row> rows;
  for (const double error : {0.01, -0.029, 0.099}) rows.push_back(row_with(Metric::dram_read, error));
  CHECK(only_verdict(rows).status == Status::kept);
  rows.push_back(row_with(Metric::dram_read, -0.101));
  const Verdict verdict = only_verdict(rows);
  CHECK(verdict.status == Status::missed);
  CHECK(verdict.worst.front() == &rows.back());
  CHECK_FALSE(fails(verdict));
}

TEST_CASE("times of this project's kernels and of others have limits of their own") {
  std::vector<Row> rows = {time_with(0.04, "none", Role::unfitted), other(time_with(0.04, "none", Role::unfitted))};
  const std::vector<Verdict> verdicts = verdicts_of(rows);
  REQUIRE(verdicts.size() == 2);
  CHECK(verdicts[0].who == "own kernels");
  CHECK(verdicts[0].status == Status::missed);
  CHECK(verdicts[1].who == "other kernels");
  CHECK(verdicts[1].status == Status::kept);
}

TEST_CASE("a split that holds rows out is judged by them alone") {
  const std::vector<Row> rows = {time_with(0.5, "length", Role::fitted), time_with(0.01, "length", Role::held_out)};
  const Verdict verdict = only_verdict(rows);
  CHECK(verdict.status == Status::kept);
  CHECK(verdict.errors.count == 1);
  const std::vector<Row> in_sample = {time_with(0.5, "all", Role::fitted)};
  CHECK(only_verdict(in_sample).status == Status::missed);
}

TEST_CASE("good times excuse no wrong traffic") {
  std::vector<Row> rows = {row_with(Metric::edge_read, 0.2), time_with(0, "none", Role::unfitted)};
  rows[0].within = false;
  const std::vector<Verdict> verdicts = verdicts_of(rows);
  REQUIRE(verdicts.size() == 2);
  CHECK(verdicts[0].metric == Metric::edge_read);
  CHECK(verdicts[0].status == Status::missed);
  CHECK(verdicts[1].status == Status::kept);
}

TEST_CASE("E17: errors that cancel in a total are shown case by case, and fail") {
  // Time to the first token 87.5 % short, time of each further one 173.5 % long: together 14.7 % short.
  const std::vector<Row> rows = {time_with(-0.875, "none", Role::unfitted, 1.882),
                                 time_with(1.735, "none", Role::unfitted, 0.728)};
  CHECK((rows[0].predicted + rows[1].predicted) / (1.882 + 0.728) - 1 == Approx(-0.147).margin(1e-6));
  CHECK(rows[0].error() == Approx(-0.875));
  CHECK(rows[1].error() == Approx(1.735));
  const Verdict verdict = only_verdict(rows);
  CHECK(verdict.status == Status::missed);
  CHECK(verdict.errors.mean == Approx((0.875 + 1.735) / 2));
  CHECK(verdict.errors.most == Approx(1.735));
  CHECK(verdict.worst.front() == &rows[1]);
}

TEST_CASE("metrics without a limit say so, and show their errors") {
  const std::vector<Row> rows = {row_with(Metric::l2_read, 0.5)};
  const Verdict verdict = only_verdict(rows);
  CHECK(verdict.status == Status::no_limit);
  CHECK_THAT(verdict.words, contains("mean 50.00 %"));
}

TEST_CASE("summaries go by split, metric and group, each followed by its kernels") {
  std::vector<Row> rows = {time_with(0.1, "all", Role::fitted), time_with(0.3, "all", Role::fitted),
                           other(time_with(0.2, "all", Role::fitted)), row_with(Metric::tensors, 0)};
  rows[1].kernel = "flash3";
  rows.push_back(time_with(0.4, "all", Role::held_out));
  rows.back().kernel = "flash3_rung1";
  std::vector<std::string> order;
  for (const Summary& summary : summaries_of(rows)) order.push_back(summary.split + "/" + summary.who);
  CHECK(order == std::vector<std::string>{"/own kernels", "/flash2", "all/own kernels", "all/flash2", "all/flash3",
                                          "all/other kernels", "all/fa2", "all/rungs of ladders", "all/flash3_rung1"});
  CHECK(summaries_of(rows)[2].errors.mean == Approx(0.2));
}

TEST_CASE("a step of the ladder: gains, their signs, and how far apart they are") {
  const std::vector<Row> rows = {rung("flash3_rung2", 1.2, 1.29), rung("flash3_rung3", 1.0, 1.0),
                                 rung("flash3_rung4", 1.5, 1.25), rung("flash3_rung1", 2.4, 1.3),
                                 rung("flash3_rung5", 1.195, 1.31)};
  const std::vector<LadderStep> steps = ladder_steps(rows);
  REQUIRE(steps.size() == 4);
  CHECK(steps[0].rung == "flash3_rung2");
  CHECK(steps[0].measured == Approx(1.0));
  CHECK(steps[0].predicted == Approx(1.3 / 1.29 - 1));
  CHECK(steps[0].sign);
  CHECK_FALSE(steps[0].within);
  CHECK(steps[1].measured == Approx(0.2));
  CHECK(steps[1].points() == Approx(9));
  CHECK(steps[1].right());
  CHECK(steps[2].measured == Approx(-0.2));
  CHECK_FALSE(steps[2].sign);
  CHECK(steps[3].sign);  // less than 1 % was gained: it has no sign
}

TEST_CASE("a step that is predicted to change nothing has the wrong sign where something was gained") {
  const std::vector<Row> rows = {rung("flash3_rung2", 1.1, 1), rung("flash3_rung3", 1, 1)};
  REQUIRE(ladder_steps(rows).size() == 1);
  CHECK_FALSE(ladder_steps(rows).front().sign);
}

TEST_CASE("rungs meet on the same problem of the same split alone") {
  std::vector<Row> rows = {rung("flash3_rung2", 1, 1), rung("flash3_rung3", 1, 1), rung("flash3_rung3", 1, 1)};
  rows[1].problem = "N 8192";
  rows[2].split = "all";
  CHECK(ladder_steps(rows).empty());
}
