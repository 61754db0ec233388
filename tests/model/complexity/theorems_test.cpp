// The exponents of the theory, row by row, on closed forms (which equal the counts by law 2).
#include <algorithm>
#include <cmath>
#include <set>

#include "model/closed_form/catalog.hpp"
#include "model/complexity/quantities.hpp"
#include "model/complexity/theorem.hpp"
#include "tests/support/catch.hpp"

using namespace tilemeter;
using namespace tilemeter::complexity;

namespace {

Work billed_by_formula(std::string_view algorithm, const Case& point) { return closed_form(algorithm, point); }
bool every(std::string_view) { return true; }

const Measured& measured(std::string_view theorem) {
  static const std::vector<Measured> all = [] {
    std::vector<Measured> results;
    for (const Theorem& one : theorems()) results.push_back(measure(one, billed_by_formula, 1, every));
    return results;
  }();
  return *std::find_if(all.begin(), all.end(), [&](const Measured& one) { return one.theorem->name == theorem; });
}

/// A row of the table of expected slopes.
struct Expected {
  std::string_view theorem;
  std::string_view contender;
  std::string_view quantity;
  std::string_view where;
  std::string_view figure;
  double value;
  double tolerance;
};

const Finding& finding_of(const Expected& row) {
  const std::vector<Finding>& findings = measured(row.theorem).findings;
  const auto found = std::find_if(findings.begin(), findings.end(), [&](const Finding& finding) {
    return text_of(finding.contender) == row.contender && finding.quantity == row.quantity &&
           finding.where == row.where && finding.figure == row.figure;
  });
  REQUIRE(found != findings.end());
  return *found;
}

constexpr double exact = 1e-9;
constexpr double ceilings = 0.02;

constexpr Expected slopes[] = {
    {"thm2", "flash1 (paper)", "T - 2Nd", "aligned", "exponent of M", -1, exact},
    {"thm2", "flash1 (paper)", "T", "aligned", "exponent of M", -0.9979, 0.00005},
    {"thm2", "flash1 (paper)", "T - 2Nd", "unaligned", "exponent of M", -0.9926, 0.001},
    {"thm2", "flash1 (paper)", "T", "M/4d 1 to 16", "exponent of M", -0.852, 0.01},
    {"thm2", "flash1 (paper)", "T", "M/4d 16 to 256", "exponent of M", -0.989, 0.002},
    {"thm2", "flash1 (paper)", "T", "M/4d 256 to 4096", "exponent of M", -0.978, 0.002},
    {"thm2", "flash1 (paper)", "T", "M/4d 4096 to 65536", "exponent of M", -0.741, 0.01},
    {"thm2", "flash1 (paper)", "T", "M/4d over 65536", "exponent of M", 0, exact},
    {"thm2", "flash1 (paper)", "T - 2Nd", "Bc = 196", "exponent of N", 1.979, 0.0005},
    {"thm2", "flash1 (paper)", "T - 2Nd", "Bc = 256", "exponent of N", 2, exact},
    {"thm2", "flash1 (paper)", "T - 2Nd", "aligned", "exponent of d", 1.974, 0.0005},
    {"thm2", "flash1 (paper)", "Q and O alone", "aligned", "exponent of d", 2, exact},
    {"thm2", "flash1 (paper)", "T - 2Nd", "random", "exponent of N", 1.996, ceilings},
    {"thm2", "flash1 (paper)", "T - 2Nd", "random", "exponent of d", 1.966, ceilings},
    {"thm2", "flash1 (paper)", "T - 2Nd", "random", "exponent of M", -0.994, ceilings},
    {"thm2", "flash1 (optimum)", "T - 2Nd", "random", "exponent of N", 1.994, ceilings},
    {"thm2", "flash1 (optimum)", "T - 2Nd", "random", "exponent of d", 1.956, ceilings},
    {"thm2", "flash1 (optimum)", "T - 2Nd", "random", "exponent of M", -0.996, ceilings},
    {"thm2", "flash2 (optimum)", "T - 2Nd - N", "random", "exponent of N", 1.993, ceilings},
    {"thm2", "flash2 (optimum)", "T - 2Nd - N", "random", "exponent of d", 1.964, ceilings},
    {"thm2", "flash2 (optimum)", "T - 2Nd - N", "random", "exponent of M", -0.996, ceilings},
    {"thm2", "standard (none)", "T", "unaligned", "exponent of M", 0, exact},
    {"thm2", "standard (none)", "T - 4Nd", "aligned", "exponent of N", 2, exact},
    {"thm2", "standard (panels)", "T - 4N^2 - 2Nd", "GEMM panels within M", "exponent of M", -1, ceilings},
    {"thm5", "flash1_backward (paper)", "T - 4Nd", "aligned", "exponent of M", -1, exact},
    {"thm5", "flash1_backward (paper)", "T - 4Nd", "random", "exponent of N", 1.996, 0.002},
    {"thm5", "flash1_backward (paper)", "T - 4Nd", "random", "exponent of d", 1.986, 0.005},
    {"thm5", "flash1_backward (paper)", "T - 4Nd", "random", "exponent of M", -0.994, 0.005},
    {"thm5", "flash1_backward (optimum)", "T - 4Nd", "random", "exponent of M", -1, ceilings},
    {"thm5", "flash2_backward atomics (optimum)", "T - 9Nd - N", "random", "exponent of N", 2, ceilings},
    {"thm5", "flash2_backward atomics (optimum)", "T - 9Nd - N", "random", "exponent of d", 1.985, ceilings},
    {"thm5", "flash2_backward atomics (optimum)", "T - 9Nd - N", "random", "exponent of M", -1, ceilings},
    {"thm5", "flash2_backward two_kernels (fit)", "T - 9Nd - 3N", "M/d^2 1024 to 16384", "exponent of M", 0, ceilings},
    {"thm5", "standard_backward (none)", "T - 8Nd", "aligned", "exponent of N", 2, exact},
    {"square-tiles", "flash1 (square)", "T - 2Nd", "M/d^2 0.1 to 1", "exponent of M", -1.17, ceilings},
    {"square-tiles", "flash1 (square)", "T - 2Nd", "M/d^2 1 to 8", "exponent of M", -0.89, ceilings},
    {"square-tiles", "flash1 (square)", "T - 2Nd", "M/d^2 8 to 64", "exponent of M", -0.70, ceilings},
    {"square-tiles", "flash1 (square)", "T - 2Nd", "M/d^2 64 to 1024", "exponent of M", -0.57, ceilings},
    {"square-tiles", "flash1 (square)", "T - 2Nd", "M/d^2 1024 to 16384", "exponent of M", -0.52, ceilings},
    {"saha-ye", "flash2 (optimum)", "T - 2Nd - N", "M 8d to d^2/4", "exponent of M", -1.195, ceilings},
    {"saha-ye", "materialised (optimum)", "T - 2N^2 - Nd", "M 64 to d^2/4", "exponent of M", -0.516, ceilings},
    {"matmul", "gemm (fit)", "T - mn", "M d to d^2", "exponent of M", -0.5, ceilings},
    {"prop4", "flash1 (fit)", "T - 2Nd", "causal windows", "exponent of s", 1, ceilings},
};

}  // namespace

TEST_CASE("the slopes of the theory") {
  for (const Expected& row : slopes) {
    INFO(row.theorem << ", " << row.contender << ", " << row.figure << " of " << row.quantity << ", " << row.where);
    const Finding& finding = finding_of(row);
    CHECK(std::fabs(finding.value - row.value) <= row.tolerance);
    CHECK(finding.half_width95.has_value());
  }
  const Finding& unaligned = finding_of(slopes[2]);
  CHECK(unaligned.residual_most.value() == Approx(0.026).margin(0.001));
  CHECK(finding_of(slopes[12]).residual_rms.value() == Approx(0.009).margin(0.003));
}

TEST_CASE("every theorem holds") {
  for (const Theorem& theorem : theorems()) {
    INFO(theorem.name);
    CHECK(measured(theorem.name).verdict() == theorem.conclusion);
    CHECK(measured(theorem.name).holds());
  }
}

TEST_CASE("those with random points hold whatever the seed") {
  for (const std::uint64_t seed : {2, 20261129}) {
    for (const std::string_view name : {"thm2", "thm5", "row-granular"}) {
      INFO(name << ", seed " << seed);
      CHECK(measure(find_theorem(name), billed_by_formula, seed, every).holds());
    }
  }
}

TEST_CASE("two kernels with one square tiling go from -1 to -1/2 as the side does") {
  constexpr double rows = 6 * 64 + 2;
  const auto side = [](double capacity) { return (std::sqrt(rows * rows + 8 * capacity) - rows) / 4; };
  struct Window {
    std::string_view where;
    double from;  ///< M / d^2
    double to;
  };
  for (const auto& [where, from, to] : {Window{"M/d^2 8 to 64", 8, 64}, Window{"M/d^2 64 to 1024", 64, 1024},
                                        Window{"M/d^2 1024 to 16384", 1024, 16384}}) {
    INFO(where);
    const double slope = -std::log(side(64 * 64 * to) / side(64 * 64 * from)) / std::log(to / from);
    const Finding finding = finding_of({.theorem = "thm5",
                                        .contender = "flash2_backward two_kernels (square)",
                                        .quantity = "T - 9Nd - 3N",
                                        .where = where,
                                        .figure = "exponent of M",
                                        .value = slope,
                                        .tolerance = ceilings});
    CHECK(std::fabs(finding.value - slope) <= ceilings);
  }
}

TEST_CASE("what streams is proportional to the number of tiles") {
  const auto streamed = [](std::string_view algorithm, std::optional<Variant> variant, Count side) {
    const Scale scale{.seq = 1024, .head_dim = 64};
    Billed billed_by_formula{
        .point = point_of({algorithm, TileChoice::untiled, variant}, scale), .work = {}, .total = {}};
    billed_by_formula.point.tiling.block_q = billed_by_formula.point.tiling.block_k = side;
    billed_by_formula.total = closed_form(algorithm, billed_by_formula.point).total().total();
    return streamed_traffic(algorithm, variant).of(scale, billed_by_formula);
  };
  struct Streams {
    std::string_view algorithm;
    std::optional<Variant> variant{};
    double once = 0;  ///< what the statistics of `materialised` move whatever the tiles: 2N, left in
  };
  for (const Streams& row :
       {Streams{"flash1"}, Streams{"flash2"}, Streams{"flash3"}, Streams{"flash1_backward"}, Streams{"flash2_backward"},
        Streams{"flash2_backward", Variant::two_kernels}, Streams{"materialised", {}, 2048}}) {
    INFO(row.algorithm);
    const double coarse = streamed(row.algorithm, row.variant, 64) - row.once;
    CHECK(coarse > 0);
    CHECK(streamed(row.algorithm, row.variant, 16) - row.once == 4 * coarse);
  }
}

TEST_CASE("a bill with another exponent is noticed") {
  const auto wrong = [](std::string_view algorithm, const Case& point) {
    Work work = closed_form(algorithm, point);
    work[TensorName::Q].read += Elements(point.problem.seq_q * point.problem.seq_k);
    return work;
  };
  const Measured result = measure(find_theorem("thm2"), wrong, 1, every);
  CHECK_FALSE(result.holds());
  CHECK_THAT(result.verdict(), contains("DIFFERS"));
}

TEST_CASE("theorems can be restricted to algorithms") {
  const auto standard_only = [](std::string_view algorithm) { return algorithm == "standard"; };
  const Measured some = measure(find_theorem("thm2"), billed_by_formula, 1, standard_only);
  CHECK(some.findings.size() == 3);
  const Measured none = measure(find_theorem("prop4"), billed_by_formula, 1, standard_only);
  CHECK(none.findings.empty());
  CHECK_THAT(none.verdict(), contains("not measured"));
}

TEST_CASE("theorems have names of their own, and unknown ones are refused with the list") {
  std::set<std::string_view> names;
  for (const Theorem& theorem : theorems()) CHECK(names.insert(theorem.name).second);
  CHECK_THROWS_WITH(find_theorem("thm9"), contains("--theorem thm9") && contains("thm1, thm2"));
}

TEST_CASE("the random points are those of the seed, and where they should be") {
  const Grid grid = random_points(7, 400);
  CHECK(grid.points.size() == 400);
  for (const Scale& scale : grid.points) {
    CHECK(scale.seq >= 4096);
    CHECK(scale.seq <= 1 << 20);
    CHECK(scale.capacity >= 8 * scale.head_dim * scale.head_dim + 17 * scale.head_dim);
    CHECK(scale.capacity <= scale.seq * scale.head_dim / 8 + 1);
  }
  const Grid again = random_points(7, 400);
  const Grid other = random_points(8, 400);
  const auto same = [](const Scale& a, const Scale& b) { return a.seq == b.seq && a.capacity == b.capacity; };
  CHECK(std::equal(grid.points.begin(), grid.points.end(), again.points.begin(), same));
  CHECK_FALSE(std::equal(grid.points.begin(), grid.points.end(), other.points.begin(), same));
}

TEST_CASE("figures that are not positive have no exponent") {
  const FitExperiment experiment{.contender = {"standard", TileChoice::untiled},
                                 .quantity = {"nothing", [](const Scale&, const Billed&) { return 0.0; }},
                                 .where = "anywhere",
                                 .exponents = {{Variable::seq}}};
  const Grid grid = doubling({.seq = 1, .head_dim = 64}, Axis::seq, 64, 1024);
  CHECK_THROWS_WITH(measure(experiment, grid, billed_by_formula),
                    contains("exponents of nothing") && contains("N = 64"));
}
