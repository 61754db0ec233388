// Break-evens against a plain scan and against worked figures; distances to the bounds.
#include "model/complexity/break_even.hpp"

#include <random>

#include "model/closed_form/catalog.hpp"
#include "model/closed_form/gemm.hpp"
#include "model/complexity/crossover.hpp"
#include "model/complexity/distance.hpp"
#include "tests/support/catch.hpp"

using namespace tilemeter;
using namespace tilemeter::complexity;

namespace {

Work billed(std::string_view algorithm, const Case& point) { return closed_form(algorithm, point); }

Count capacity_of(const BreakEvenPair& pair, Count seq, Count head_dim) {
  return break_even(pair, seq, head_dim, billed).capacity.value();
}

constexpr Contender idealised = {"standard", TileChoice::untiled};
constexpr Contender at_same_m = {"standard", TileChoice::panels};

}  // namespace

TEST_CASE("the search equals a plain scan on falling staircases") {
  std::mt19937 random(20261129);
  const auto staircase = [&](Count start) {
    std::vector<Count> steps;
    for (Count i = 0; i < 60; ++i) steps.push_back(start -= static_cast<Count>(random() % 4 == 0 ? random() % 9 : 0));
    return steps;
  };
  for (int repetition = 0; repetition < 2000; ++repetition) {
    const std::vector<Count> challenger = staircase(100);
    const std::vector<Count> opponent = staircase(60 + static_cast<Count>(random() % 50));
    std::optional<Count> first;
    for (Count i = 0; i < 60 && !first; ++i) {
      const auto at = static_cast<std::size_t>(i);
      if (challenger[at] <= opponent[at]) first = i;
    }
    const auto step_of = [](const std::vector<Count>& steps) {
      return [&steps](Count at) { return steps.at(static_cast<std::size_t>(at)); };
    };
    REQUIRE(first_not_above(0, 59, step_of(challenger), step_of(opponent)) == first);
  }
}

TEST_CASE("break-evens at N = 4096, d = 64") {
  CHECK(capacity_of({{"flash1", TileChoice::paper}, idealised}, 4096, 64) == 12289);
  CHECK(capacity_of({{"flash1", TileChoice::fit}, idealised}, 4096, 64) == 15043);
  CHECK(capacity_of({{"flash1", TileChoice::optimum}, idealised}, 4096, 64) == 6451);
  CHECK(capacity_of({{"flash2", TileChoice::optimum}, idealised}, 4096, 64) == 4320);
  CHECK(capacity_of({{"flash1", TileChoice::paper}, at_same_m}, 4096, 64) == 10241);
  CHECK(capacity_of({{"flash1", TileChoice::fit}, at_same_m}, 4096, 64) == 12943);
  CHECK(capacity_of({{"flash1", TileChoice::optimum}, at_same_m}, 4096, 64) == 3613);
  CHECK(capacity_of({{"flash2", TileChoice::optimum}, at_same_m}, 4096, 64) == 1962);
}

TEST_CASE("a nominal break-even that does not fit says what it needs") {
  const BreakEven nominal = break_even({{"flash1", TileChoice::paper}, idealised}, 4096, 64, billed);
  CHECK(nominal.tiling.block_k == 49);
  CHECK(nominal.needed.value() == 15043);
  CHECK(nominal.moved.value() == 67'960'832);
  CHECK(nominal.opponent_moved.value() == 68'157'440);
}

TEST_CASE("heads wider than long never break even with the paper's tiles") {
  const BreakEven none = break_even({{"flash1", TileChoice::paper}, idealised}, 16, 128, billed);
  CHECK_FALSE(none.capacity.has_value());
}

TEST_CASE("every break-even pair finds the M that a scan finds") {
  for (const BreakEvenPair& pair : break_even_pairs()) {
    INFO(text_of(pair.challenger) << " against " << text_of(pair.opponent));
    const BreakEven found = break_even(pair, 300, 16, billed);
    const auto moved = [&](const Contender& contender, Count capacity) {
      return bill_of(contender, {.seq = 300, .head_dim = 16, .capacity = capacity}, billed).total;
    };
    Count capacity = smallest_capacity(16);
    while (moved(pair.challenger, capacity) > moved(pair.opponent, capacity)) ++capacity;
    CHECK(found.capacity == capacity);
  }
}

TEST_CASE("streaming overtakes scores in memory at M of the order of d^2") {
  const auto every = [](std::string_view) { return true; };
  const std::vector<Crossover> found = crossovers(billed, every);
  const std::vector<Count> capacities = {600, 2224, 8285, 32957, 976, 3742, 14136, 55405, 2561, 9985, 39937, 160769};
  REQUIRE(found.size() == capacities.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    CHECK(found[i].found.capacity == capacities[i]);
    CHECK(found[i].holds());
  }
  CHECK(crossovers(billed, [](std::string_view algorithm) { return algorithm == "flash2"; }).size() == 4);
}

TEST_CASE("a crossover elsewhere, or none, does not hold") {
  const auto every = [](std::string_view) { return true; };
  const auto scores_for_free = [](std::string_view algorithm, const Case& point) {
    Work work = closed_form(algorithm, point);
    if (algorithm == "materialised") work[TensorName::S] = {};
    return work;
  };
  for (const Crossover& crossover : crossovers(scores_for_free, every)) CHECK_FALSE(crossover.holds());
  Crossover none{.found = {}, .accepted = {}};
  CHECK_FALSE(none.ratio().has_value());
  CHECK_FALSE(none.holds());
}

TEST_CASE("the optimum of a GEMM is over its orders") {
  const Scale scale{.seq = 4096, .head_dim = 256, .capacity = 65536};
  const auto moved = [&](TileChoice tiles) { return bill_of({"gemm", tiles}, scale, billed).total; };
  CHECK(moved(TileChoice::optimum) < moved(TileChoice::fit));
  CHECK(gemm_order_of(point_of({"gemm", TileChoice::optimum}, scale)) != GemmOrder::c_stationary);
}

TEST_CASE("distances to the best bound") {
  const Scale scale{.seq = 4096, .head_dim = 64, .capacity = 50000};
  const Distance best = distance_of({"flash2", TileChoice::optimum}, scale, billed);
  CHECK(best.moved.value() == 6'295'552);
  CHECK(best.bound.least.value() == 5'520'640);
  CHECK(best.bound.description->name == "row-granular");
  CHECK(best.holds());
  const Distance plain = distance_of({"standard", TileChoice::untiled}, scale, billed);
  CHECK(plain.ratio() == 65);
  const Distance unfit =
      distance_of({"flash1", TileChoice::fit}, {.seq = 4096, .head_dim = 64, .capacity = 100}, billed);
  CHECK_THAT(unfit.reason, contains("M = 100 elements"));
  const Distance nominal =
      distance_of({"flash1", TileChoice::paper}, {.seq = 4096, .head_dim = 64, .capacity = 12500}, billed);
  CHECK(nominal.used.value() == 15043);
  CHECK(nominal.bound.least ==
        *row_granular_least(point_of(nominal.contender, nominal.scale).problem, Elements(15043)));
}

TEST_CASE("a bill below a bound does not hold") {
  const auto nothing_but_output = [](std::string_view algorithm, const Case& point) {
    Work work = closed_form(algorithm, point);
    work[TensorName::K] = work[TensorName::V] = {};
    return work;
  };
  const Scale scale{.seq = 4096, .head_dim = 64, .capacity = 50000};
  CHECK_FALSE(distance_of({"flash2", TileChoice::optimum}, scale, nothing_but_output).holds());
}

TEST_CASE("only attention and its gradients have distances") {
  for (const Formula& formula : formulas()) {
    const bool attention =
        formula.computation == Computation::attention || formula.computation == Computation::gradients;
    CHECK(contenders_of(formula.name).empty() != attention);
  }
}
