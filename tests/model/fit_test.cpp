// Least squares on data with known answers.
#include "model/fit.hpp"

#include <array>
#include <cmath>
#include <random>

#include "tests/support/catch.hpp"

using namespace tilemeter;

TEST_CASE("a line through known points") {
  Observations line("line", {"intercept", "slope"});
  const double responses[] = {2.1, 3.9, 6.2, 7.8, 10.1};
  for (int x = 1; x <= 5; ++x) line.add(std::array{1.0, static_cast<double>(x)}, responses[x - 1]);
  const Fit fit = line.fit();
  CHECK(fit.observations == 5);
  CHECK(fit["slope"].value == Approx(1.99));
  CHECK(fit["intercept"].value == Approx(0.05));
  // residuals 0.06 -0.13 0.18 -0.21 0.10; s^2 = 0.107 / 3; sum of (x - 3)^2 = 10; t(3) = 3.18245
  CHECK(fit.residual_most == Approx(0.21));
  CHECK(fit.residual_rms == Approx(std::sqrt(0.107 / 5)));
  CHECK(fit["slope"].half_width95 == Approx(3.1824463 * std::sqrt(0.107 / 3 / 10)));
  CHECK(fit["intercept"].half_width95 == Approx(3.1824463 * std::sqrt(0.107 / 3 * (0.2 + 0.9))));
}

TEST_CASE("an exact law is found to rounding, whatever the scales of its regressors") {
  Observations law("law", {"a", "b", "c"});
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(1, 2);
  for (int i = 0; i < 40; ++i) {
    const double x = 1e9 * uniform(random);
    const double y = 1e-9 * uniform(random);
    law.add(std::array{1.0, x, y}, 5 + 3e-9 * x - 7e9 * y);
  }
  const Fit fit = law.fit();
  CHECK(fit["a"].value == Approx(5).epsilon(1e-9));
  CHECK(fit["b"].value == Approx(3e-9).epsilon(1e-9));
  CHECK(fit["c"].value == Approx(-7e9).epsilon(1e-9));
  CHECK(fit["b"].half_width95 < 1e-20);
}

TEST_CASE("95 of 100 intervals hold the coefficient") {
  std::mt19937 random(20261129);
  std::normal_distribution<double> error(0, 0.3);
  int holding = 0;
  constexpr int repetitions = 2000;
  for (int i = 0; i < repetitions; ++i) {
    Observations line("line", {"intercept", "slope"});
    for (int x = 0; x < 6; ++x) line.add(std::array{1.0, static_cast<double>(x)}, 1 + 2 * x + error(random));
    const Coefficient slope = line.fit()["slope"];
    holding += std::fabs(slope.value - 2) <= slope.half_width95 ? 1 : 0;
  }
  CHECK(holding / static_cast<double>(repetitions) == Approx(0.95).margin(0.02));
}

TEST_CASE("data that do not determine a coefficient are refused by its name") {
  Observations twins("fit of flash1", {"constant", "N", "d", "M"});
  for (int i = 1; i <= 9; ++i) {
    const double n = i;
    const double d = (i * 7) % 5;
    twins.add(std::array{1.0, n, d, 3 * d}, n + d);
  }
  CHECK_THROWS_WITH(twins.fit(), "fit of flash1: the data do not determine d and M apart");

  Observations absent("fit", {"constant", "x"});
  for (int i = 0; i < 5; ++i) absent.add(std::array{1.0, 0.0}, i);
  CHECK_THROWS_WITH(absent.fit(), "fit: the data do not determine x");

  Observations fixed("fit", {"constant", "x", "y"});
  for (int i = 0; i < 5; ++i) fixed.add(std::array{1.0, 4.0, i * i * 1.0}, i);
  CHECK_THROWS_WITH(fixed.fit(), "fit: the data do not determine constant and x apart");
}

TEST_CASE("as many observations as coefficients leave nothing to judge by") {
  Observations line("line", {"intercept", "slope"});
  line.add(std::array{1.0, 1.0}, 2);
  line.add(std::array{1.0, 2.0}, 3);
  CHECK_THROWS_WITH(line.fit(), contains("line: 2 observations; at least 3"));
  CHECK_THROWS_WITH(line.add(std::array{1.0, std::nan("")}, 3), contains("observation 3"));
}
