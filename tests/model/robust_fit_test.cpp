#include "model/robust_fit.hpp"

#include <cmath>
#include <limits>

#include "model/efficiency.hpp"
#include "model/expectation.hpp"
#include "model/units.hpp"
#include "tests/support/catch.hpp"

using namespace tilemeter;

namespace {

/// Measurements of a + b x at x = 0, 1, ..., n - 1, as residuals of a model that is off by `errors`.
Residuals line(double a, double b, std::vector<double> errors) {
  return [=](std::span<const double> values) {
    std::vector<double> residuals;
    for (std::size_t i = 0; i < errors.size(); ++i) {
      const auto x = static_cast<double>(i);
      residuals.push_back(values[0] + values[1] * x - (a + b * x + errors[i]));
    }
    return residuals;
  };
}

const std::vector<BoundedParameter> wide = {{.name = "a", .prior = 0, .doubt = 100, .low = -1000, .high = 1000},
                                            {.name = "b", .prior = 0, .doubt = 100, .low = -1000, .high = 1000}};

}  // namespace

TEST_CASE("exact data give their parameters back, and say that they determine them") {
  const RobustFit fit = robust_fit(wide, line(3, -2, std::vector<double>(12, 0)), 0.01);
  CHECK(fit.parameters[0].value == Approx(3).margin(1e-3));
  CHECK(fit.parameters[1].value == Approx(-2).margin(1e-3));
  CHECK(fit.parameters[0].determined);
  CHECK(fit.parameters[1].determined);
  CHECK(fit.scale == Approx(0.01));
}

TEST_CASE("an interval is that of the straight line of textbooks") {
  // Five points with noise 0.1: the slope has a deviation of 0.1 / sqrt(10), its interval 1.96 times that.
  const RobustFit fit = robust_fit(wide, line(0, 1, std::vector<double>(5, 0)), 0.1);
  CHECK(fit.parameters[1].half_width95 == Approx(1.96 * 0.1 / std::sqrt(10.0)).epsilon(1e-3));
}

TEST_CASE("one outlier among many does not move the fit by much") {
  std::vector<double> errors(20, 0);
  errors[7] = 50;
  const RobustFit fit = robust_fit(wide, line(3, -2, errors), 0.01);
  CHECK(fit.parameters[0].value == Approx(3).margin(0.02));
  CHECK(fit.parameters[1].value == Approx(-2).margin(0.02));
}

TEST_CASE("what the data say nothing of stays what was expected") {
  std::vector<BoundedParameter> parameters = wide;
  parameters.push_back({.name = "c", .prior = 7, .doubt = 2, .low = 0, .high = 100});
  const RobustFit fit = robust_fit(parameters, line(3, -2, std::vector<double>(12, 0)), 0.01);
  CHECK(fit.parameters[2].value == Approx(7));
  CHECK(fit.parameters[2].half_width95 == Approx(1.96 * 2));
  CHECK_FALSE(fit.parameters[2].determined);
}

TEST_CASE("bounds hold") {
  std::vector<BoundedParameter> parameters = wide;
  parameters[1].low = -1;
  const RobustFit fit = robust_fit(parameters, line(3, -2, std::vector<double>(12, 0)), 0.01);
  CHECK(fit.parameters[1].value == Approx(-1));
}

TEST_CASE("a fit of nothing, and of what is not finite, is refused") {
  const auto nothing = [](std::span<const double>) { return std::vector<double>(); };
  CHECK_THROWS_AS(robust_fit(wide, nothing, 0.01), InputError);
  const auto infinite = [](std::span<const double>) {
    return std::vector<double>{std::numeric_limits<double>::infinity()};
  };
  CHECK_THROWS_AS(robust_fit(wide, infinite, 0.01), InputError);
}

TEST_CASE("a step hides the shorter of products and scalar work as far as a fit says") {
  Efficiency efficiency{.products = 2, .shared = 0.5, .scalar = 1, .hidden = 0.75};
  CHECK(efficiency.step(100, 40, 80) == 220 + 0.25 * 80);
  CHECK(efficiency.step(10, 0, 80) == 80 + 0.25 * 20);
  efficiency = {.cache = 0.5, .memory = 2, .exposed = 0.1};
  CHECK(efficiency.together(10, 8, 1, false) == Approx(10 + 0.1 * 4));
  CHECK(efficiency.together(10, 8, 6, false) == Approx(12 + 0.1 * 10));
  efficiency.joined = 0.25;
  CHECK(efficiency.together(10, 8, 1, true) == Approx(10 + 0.1 * 3));
  CHECK(efficiency.together(10, 8, 1, false) == Approx(10 + 0.1 * 4));
}

TEST_CASE("a residual left out is that of a fit that did not see it") {
  const std::vector<double> errors = {0.01, -0.02, 0.015, 0.0, -0.01, 0.02};
  const RobustFit whole = robust_fit(wide, line(3, -2, errors), 0.02);
  for (std::size_t i = 0; i < errors.size(); ++i) {
    const Residuals all = line(3, -2, errors);
    const Residuals others = [&](std::span<const double> values) {
      std::vector<double> residuals = all(values);
      residuals.erase(residuals.begin() + static_cast<std::ptrdiff_t>(i));
      return residuals;
    };
    const RobustFit fit = robust_fit(wide, others, 0.02);
    const std::vector<double> values = {fit.parameters[0].value, fit.parameters[1].value};
    CHECK(whole.left_out[i] == Approx(all(values)[i]).margin(1e-4));
  }
}

TEST_CASE("wgmma is expected to hide shared memory, mma.sync is not; other figures do not depend on the path") {
  for (const EfficiencyFigure& figure : efficiency_figures()) {
    const Expectation wgmma = expectation_of(figure, MatrixPath::wgmma);
    const Expectation mma = expectation_of(figure, MatrixPath::mma);
    CHECK((wgmma.value < mma.value) == (figure.name == "shared"));
    CHECK(wgmma.value >= figure.low);
    CHECK(mma.value <= figure.high);
  }
}

TEST_CASE("keys of fits name a kernel and a figure") {
  CHECK(fit_key("flash3", "products") == "fit.flash3.products");
  const auto key = parse_fit_key("fit.flash3.products");
  REQUIRE(key);
  CHECK(key->kernel == "flash3");
  CHECK(key->figure->member == &Efficiency::products);
  for (const char* wrong :
       {"fit.flash3", "fit.flash3.speed", "fit..products", "fits.flash3.products", "fit.products"}) {
    INFO(wrong);
    CHECK_FALSE(parse_fit_key(wrong));
  }
  for (const EfficiencyFigure& figure : efficiency_figures()) {
    INFO(figure.name);
    CHECK(find_efficiency_figure(figure.name) == &figure);
    CHECK(figure.low <= figure.prior);
    CHECK(figure.prior <= figure.high);
  }
}
