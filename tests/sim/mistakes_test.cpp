// Mistakes made on purpose: they move what the right algorithm moves, and do the damage that is predicted.
#include <cstdio>
#include <random>

#include "sim/catalog.hpp"
#include "sim/mistake.hpp"
#include "sim/numeric.hpp"
#include "sim/run.hpp"
#include "tests/sim/unlimited.hpp"
#include "tests/support/cases.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/repetitions.hpp"

using namespace tilemeter;
using namespace tilemeter::testing;

namespace {

constexpr std::uint64_t mistakes_seed = 1108;
constexpr std::array mistakes = {Mistake::no_rescale, Mistake::reversed_unguarded, Mistake::unguarded};

std::vector<Algorithm> algorithms_with_mistakes() {
  std::vector<Algorithm> found;
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.options.find("--unsafe") != std::string_view::npos) found.push_back(algorithm);
  }
  return found;
}

Case causal(Count seq, Count block_q, Count block_k, Mistake mistake) {
  Case point;
  point.problem = {.seq_q = seq, .seq_k = seq, .head_dim = 8, .head_dim_v = 8, .mask = {.kind = MaskKind::causal}};
  point.problem.dtype = point.problem.score_dtype = point.problem.o_dtype = DType::fp32;
  point.tiling = {.block_q = block_q, .block_k = block_k};
  point.options.mistake = mistake;
  return point;
}

}  // namespace

TEST_CASE("flash1, flash2 and flash3 take mistakes") {
  std::string names;
  for (const Algorithm& algorithm : algorithms_with_mistakes()) names += std::string(algorithm.name) + " ";
  CHECK(names == "flash1 flash2 flash3 ");
}

TEST_CASE("a mistake changes no bill, folded or not") {
  std::mt19937_64 random(mistakes_seed);
  std::printf("mistakes: seed %llu\n", static_cast<unsigned long long>(mistakes_seed));
  for (int repetition = 0; repetition < testing::repetitions(600); ++repetition) {
    const Case drawn = random_case(random, Extent::small);
    for (const Algorithm& algorithm : algorithms_with_mistakes()) {
      Case point = adapted(drawn, algorithm.formula(), random);
      const Work right = count(algorithm, point, unlimited).work;
      for (const Mistake mistake : mistakes) {
        point.options.mistake = mistake;
        INFO("--algorithm " << algorithm.name << " --unsafe " << name_of(mistake) << " " << describe(point));
        REQUIRE(count(algorithm, point, unlimited).work == right);
        REQUIRE(count(algorithm, point, unlimited, Folding::unfolded).work == right);
      }
    }
  }
}

TEST_CASE("the damage is the predicted one, row by row") {
  std::mt19937_64 random(mistakes_seed + 1);
  Count damaged = 0;
  for (int repetition = 0; repetition < testing::repetitions(200); ++repetition) {
    const Case drawn = random_case(random, Extent::tiny);
    for (const Algorithm& algorithm : algorithms_with_mistakes()) {
      Case point = adapted(drawn, algorithm.formula(), random);
      for (const Mistake mistake : mistakes) {
        point.options.mistake = mistake;
        INFO("--algorithm " << algorithm.name << " --unsafe " << name_of(mistake) << " " << describe(point));
        const NumericCheck check = run_numeric(algorithm, point, unlimited, mistakes_seed).check;
        INFO("NaN rows " << check.nan_rows << ", predicted " << check.predicted_nan_rows.value_or(-1));
        REQUIRE(check.nan_rows == check.predicted_nan_rows);
        REQUIRE(check.ok);
        damaged += check.nan_rows;
      }
    }
  }
  CHECK(damaged > 1000);
}

TEST_CASE("lost rows of practice 2, in numbers") {
  const auto lost = [](std::string_view name, Count seq, Count block_q, Count block_k) {
    const Case point = causal(seq, block_q, block_k, Mistake::reversed_unguarded);
    const NumericCheck check = run_numeric(find_algorithm(name), point, unlimited, 1).check;
    CHECK(check.ok);
    return check.nan_rows;
  };
  for (const std::string_view name : {"flash1", "flash2", "flash3"}) {
    INFO(name);
    CHECK(lost(name, 300, 64, 100) == 44);
    CHECK(lost(name, 257, 48, 33) == 147);
    CHECK(lost(name, 128, 32, 128) == 0);
  }
}

TEST_CASE("without the rescale the numbers are wrong wherever a second tile raises the maximum") {
  for (const Algorithm& algorithm : algorithms_with_mistakes()) {
    INFO(algorithm.name);
    const NumericCheck several = run_numeric(algorithm, causal(100, 16, 12, Mistake::no_rescale), unlimited, 1).check;
    CHECK(several.ok);
    CHECK(several.predicted_nan_rows == Count{0});
    CHECK(several.rel_frobenius > 100 * several.tolerance);
    const NumericCheck one = run_numeric(algorithm, causal(100, 16, 100, Mistake::no_rescale), unlimited, 1).check;
    CHECK(one.ok);
    CHECK(one.rel_frobenius < one.tolerance);
  }
}

TEST_CASE("a run that does not do the predicted damage is not ok") {
  const Algorithm& flash2 = find_algorithm("flash2");
  for (const Mistake mistake : {Mistake::no_rescale, Mistake::reversed_unguarded}) {
    Case point = causal(300, 64, 100, mistake);
    const Values inputs = random_inputs(flash2, point, mistakes_seed);
    const Values damaged = run_on(flash2, point, unlimited, inputs).outputs;
    CHECK(check_mistake(flash2, point, inputs, damaged).ok);
    point.options.mistake = Mistake::none;
    const Values right = run_on(flash2, point, unlimited, inputs).outputs;
    point.options.mistake = mistake;
    CHECK_FALSE(check_mistake(flash2, point, inputs, right).ok);
    Values elsewhere = damaged;  // as many NaN rows, but others
    elsewhere[TensorName::O][0].row(70).swap(elsewhere[TensorName::O][0].row(10));
    elsewhere[TensorName::LSE][0].row(70).swap(elsewhere[TensorName::LSE][0].row(10));
    CHECK_FALSE(check_mistake(flash2, point, inputs, elsewhere).ok);
  }
}
