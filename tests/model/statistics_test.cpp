// Figures of samples with known answers.
#include "model/statistics.hpp"

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "tests/support/catch.hpp"

using namespace tilemeter;

TEST_CASE("a summary of known samples") {
  const std::vector<double> samples = {4, 2, 5, 1, 3};
  const Summary summary = summarise(samples, "durations");
  CHECK(summary.count == 5);
  CHECK(summary.mean == 3);
  CHECK(summary.standard_deviation == Approx(std::sqrt(2.5)));
  CHECK(summary.least == 1);
  CHECK(summary.p5 == Approx(1.2));
  CHECK(summary.p50 == 3);
  CHECK(summary.p95 == Approx(4.8));
  CHECK(summary.most == 5);
  CHECK(summary.half_width95 == Approx(2.7764451052 * std::sqrt(2.5) / std::sqrt(5.0)));
}

TEST_CASE("quantiles between and at samples") {
  const std::vector<double> samples = {1, 2, 3, 4};
  CHECK(quantile_of(samples, 0.5, "x") == 2.5);
  CHECK(quantile_of(samples, 0.95, "x") == Approx(3.85));
  CHECK(quantile_of(samples, 0, "x") == 1);
  CHECK(quantile_of(samples, 1, "x") == 4);
  CHECK(quantile_of(std::vector<double>{7}, 0.95, "x") == 7);
}

TEST_CASE("Student's t as printed in tables") {
  CHECK(student_t95(1) == Approx(12.7062047362).epsilon(1e-9));
  CHECK(student_t95(2) == Approx(4.3026527297).epsilon(1e-9));
  CHECK(student_t95(10) == Approx(2.2281388520).epsilon(1e-9));
  CHECK(student_t95(1000000) == Approx(1.9599660).epsilon(1e-6));
}

TEST_CASE("equal samples have no spread, large offsets lose none") {
  CHECK(summarise(std::vector<double>{3, 3, 3}, "x").half_width95 == 0);
  const std::vector<double> samples = {1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16};
  CHECK(summarise(samples, "x").standard_deviation == Approx(std::sqrt(30.0)));
}

TEST_CASE("95 of 100 intervals hold the mean") {
  std::mt19937 random(20261129);
  std::normal_distribution<double> normal(10, 3);
  int holding = 0;
  constexpr int repetitions = 4000;
  for (int i = 0; i < repetitions; ++i) {
    std::vector<double> samples(5);
    for (double& sample : samples) sample = normal(random);
    const Summary summary = summarise(samples, "x");
    holding += std::fabs(summary.mean - 10) <= summary.half_width95 ? 1 : 0;
  }
  CHECK(holding / static_cast<double>(repetitions) == Approx(0.95).margin(0.015));
}

TEST_CASE("too few samples, and samples that are no numbers, are refused") {
  const std::vector<double> none;
  const std::vector<double> one = {4};
  CHECK_THROWS_WITH(mean_of(none, "durations"), contains("durations: 0 samples; at least 1"));
  CHECK_THROWS_WITH(quantile_of(none, 0.5, "durations"), contains("at least 1"));
  CHECK_THROWS_WITH(summarise(one, "durations"), contains("durations: 1 sample; at least 2"));
  CHECK(mean_of(one, "durations") == 4);
  const std::vector<double> broken = {1, std::numeric_limits<double>::quiet_NaN()};
  CHECK_THROWS_WITH(summarise(broken, "durations"), contains("sample 2"));
}
