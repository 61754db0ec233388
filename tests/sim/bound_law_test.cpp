// No algorithm moves less than a lower bound of its class, at the memory that it was counted to use.
#include <cstdio>
#include <optional>
#include <random>
#include <set>

#include "model/bound.hpp"
#include "model/closed_form/catalog.hpp"
#include "model/footprint.hpp"
#include "model/tiling_rule.hpp"
#include "sim/catalog.hpp"
#include "sim/run.hpp"
#include "tests/support/cases.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/repetitions.hpp"

using namespace tilemeter;
using namespace tilemeter::testing;

namespace {

constexpr std::uint64_t bound_seed = 20261130;

/// A problem long enough for bounds to bind, with tiles from a single row to all of it.
Case long_case(std::mt19937_64& random) {
  const auto between = [&](Count least, Count most) {
    return std::uniform_int_distribution<Count>(least, most)(random);
  };
  Case point = random_case(random, Extent::small);
  point.problem.seq_q = between(50, 400);
  point.problem.seq_k = between(0, 3) == 0 ? between(50, 400) : point.problem.seq_q;
  point.problem.head_dim = between(1, 24);
  point.problem.head_dim_v = between(0, 2) == 0 ? between(1, 24) : point.problem.head_dim;
  point.tiling.block_q = between(1, between(0, 1) == 0 ? 4 : 80);
  point.tiling.block_k = between(1, between(0, 1) == 0 ? 4 : 80);
  return point;
}

/// flash1 and its backward pass write O and dQ where they visit only; rows without keys are not among it.
bool leaves_rows_unwritten(const Algorithm& algorithm, const Case& point) {
  return algorithm.formula().output == OutputType::read_back && empty_rows(point.problem) > 0;
}

/// Whether the least tiling fits.
bool fits_somehow(std::string_view algorithm, Case point, const Budget& budget) {
  point.tiling.block_q = point.tiling.block_k = 1;
  return fits(footprint_of(on_chip_tiles(algorithm, point)), budget);
}

}  // namespace

TEST_CASE("every algorithm moves at least what every bound of its class says") {
  std::mt19937_64 random(bound_seed);
  std::printf("bound law: seed %llu\n", static_cast<unsigned long long>(bound_seed));
  std::set<std::string_view> applied;
  std::set<std::string_view> binding;
  for (int repetition = 0; repetition < testing::repetitions(2000); ++repetition) {
    const Case drawn = repetition % 2 == 0 ? long_case(random) : random_case(random, Extent::small);
    for (const Algorithm& algorithm : algorithms()) {
      const Case point = adapted(drawn, algorithm.formula(), random);
      const Counted counted = count(algorithm, point, Budget{});
      const auto bounds = bounds_of(algorithm.name, point, counted.work, most_elements_on_chip(algorithm.name, point));
      for (const LowerBound& bound : bounds) {
        if (bound.description == &compulsory_bound() && leaves_rows_unwritten(algorithm, point)) continue;
        INFO("--algorithm " << algorithm.name << " " << describe(point) << ", " << bound.description->name);
        REQUIRE(counted.work.total().total() >= bound.least);
        applied.insert(bound.description->name);
      }
      binding.insert(best_of(bounds).description->name);
    }
  }
  for (const std::string_view name : {"compulsory", "row-granular", "score products"}) {
    CHECK(applied.contains(name));
    CHECK(binding.contains(name));
  }
}

TEST_CASE("the streaming algorithms are row-granular, the standard ones are not") {
  Case point;
  point.problem.seq_q = point.problem.seq_k = 300;
  const auto of = [&](std::string_view name) {
    const Counted counted = count(find_algorithm(name), point, Budget{});
    return class_of(name, point, counted.work, counted.memory.peak.elements);
  };
  CHECK(of("flash1") == BoundClass::row_granular);
  CHECK(of("flash2") == BoundClass::row_granular);
  CHECK(of("standard_tiled") == BoundClass::score_products);
  CHECK(of("standard") == BoundClass::every);
}

TEST_CASE("the best streaming tiles come within a few percent of the row-granular bound") {
  Case point;
  point.problem.seq_q = point.problem.seq_k = 1 << 20;
  point.tiling = {.block_q = 1 << 10, .block_k = 1, .rule = BlockRule::given};
  const Counted counted = count(find_algorithm("flash2"), point, Budget{});
  const Elements least = *row_granular_least(point.problem, counted.memory.peak.elements);
  const double ratio = static_cast<double>(counted.work.total().total().value()) / static_cast<double>(least.value());
  CHECK(ratio >= 1);
  CHECK(ratio < 1.03);
}

TEST_CASE("more SRAM never increases the counted traffic of the tuned tiling") {
  std::mt19937_64 random(bound_seed + 1);
  for (int repetition = 0; repetition < testing::repetitions(20); ++repetition) {
    const Case drawn = long_case(random);
    for (const std::string_view name : {"flash1", "flash2", "flash3", "zigzag", "flash1_backward"}) {
      const Algorithm& algorithm = find_algorithm(name);
      Case point = adapted(drawn, algorithm.formula(), random);
      std::optional<Elements> before;
      for (Count elements = 500; elements < 200'000; elements += elements / 3) {
        const Budget budget{.placement = Placement::sram, .elements = Elements(elements)};
        if (!fits_somehow(name, point, budget)) continue;
        point.tiling = best_tilings(name, point, budget, {}, 1).best.front().tiling;
        INFO("--algorithm " << name << " " << describe(point) << ", " << elements << " elements");
        const Elements traffic = count(algorithm, point, budget).work.total().total();
        REQUIRE((!before || traffic <= *before));
        before = traffic;
      }
      REQUIRE(before.has_value());
    }
  }
}
