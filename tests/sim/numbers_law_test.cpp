// Law 1: real runs agree with the reference, and rows without keys are zeros, never NaN.
#include <cmath>
#include <cstdio>
#include <limits>
#include <random>

#include "sim/catalog.hpp"
#include "sim/numeric.hpp"
#include "tests/sim/unlimited.hpp"
#include "tests/support/cases.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/repetitions.hpp"

using namespace tilemeter;
using namespace tilemeter::testing;

namespace {

constexpr std::uint64_t numbers_seed = 4711;
constexpr double infinity = std::numeric_limits<double>::infinity();

void set_operands(Problem& problem, DType dtype) {
  problem.dtype = problem.score_dtype = problem.o_dtype = dtype;
  problem.stat_dtype = dtype == DType::fp64 ? DType::fp64 : DType::fp32;
}

Case small_case(Count seq_q, Count seq_k, MaskKind mask, DType dtype = DType::fp32) {
  Case point;
  point.problem = {.seq_q = seq_q, .seq_k = seq_k, .head_dim = 16, .head_dim_v = 16, .mask = {.kind = mask}};
  point.tiling = {.block_q = 16, .block_k = 24};
  set_operands(point.problem, dtype);
  return point;
}

/// The algorithms that compute attention.
std::vector<Algorithm> attention_algorithms() {
  std::vector<Algorithm> found;
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.computation() == Computation::attention) found.push_back(algorithm);
  }
  return found;
}

Values constant_scores(const Problem& problem, double logit) {
  Values inputs = attention_inputs(problem, numbers_seed);
  for (Matrix& q : inputs[TensorName::Q]) {
    q.setZero();
    q.col(0).setConstant(logit);
  }
  for (Matrix& k : inputs[TensorName::K]) {
    k.setZero();
    k.col(0).setOnes();
  }
  return inputs;
}

}  // namespace

TEST_CASE("every algorithm agrees with the double-precision reference in every type") {
  std::mt19937_64 random(numbers_seed);
  std::printf("numbers law: seed %llu\n", static_cast<unsigned long long>(numbers_seed));
  for (int repetition = 0; repetition < testing::repetitions(400); ++repetition) {
    const Case drawn = random_case(random, Extent::tiny);
    constexpr std::array types = {DType::fp64, DType::fp32, DType::fp16, DType::bf16};
    for (const Algorithm& algorithm : algorithms()) {
      Case point = adapted(drawn, algorithm.formula(), random);
      set_operands(point.problem, types[static_cast<std::size_t>(repetition) % types.size()]);
      INFO("--algorithm " << algorithm.name << " --dtype " << name_of(point.problem.dtype) << " " << describe(point));
      const NumericCheck check =
          run_numeric(algorithm, point, unlimited, numbers_seed + static_cast<std::uint64_t>(repetition)).check;
      INFO("max " << check.max_abs_error << " frobenius " << check.rel_frobenius << " LSE " << check.max_lse_error);
      REQUIRE(check.nan_rows == 0);
      REQUIRE(check.ok);
    }
  }
}

TEST_CASE("rows without keys: O is 0 and LSE is as declared") {
  for (const Algorithm& algorithm : attention_algorithms()) {
    INFO(algorithm.name);
    for (const EmptyLse declared : {EmptyLse::plus_infinity, EmptyLse::minus_infinity}) {
      Case point = small_case(64, 40, MaskKind::causal);
      point.options.empty_lse = declared;
      point.options.unfused_dropout = false;
      const NumericOutputs run = run_on(algorithm, point, unlimited, attention_inputs(point.problem, numbers_seed));
      REQUIRE(run.outputs.at(TensorName::O)[0].topRows(24).isZero(0));
      CHECK_FALSE(run.outputs.at(TensorName::O)[0].row(24).isZero(0));
      if (algorithm.name != "flash2") continue;
      const double wanted = declared == EmptyLse::plus_infinity ? infinity : -infinity;
      for (Count row = 0; row < 24; ++row) REQUIRE(run.outputs.at(TensorName::LSE)[0](row, 0) == wanted);
      CHECK(std::isfinite(run.outputs.at(TensorName::LSE)[0](24, 0)));
    }
  }
}

TEST_CASE("very negative and very large logits give the mean of V and a finite LSE") {
  // Softmax is shift-invariant: with equal logits every key weighs the same, however far they are from zero.
  for (const double logit : {-2.45e5, 2.45e5}) {
    for (const Algorithm& algorithm : attention_algorithms()) {
      INFO(algorithm.name << " logit " << logit);
      Case point = small_case(40, 100, MaskKind::none);
      point.problem.head_dim = 128;
      point.options.unfused_dropout = false;
      const Values inputs = constant_scores(point.problem, logit);
      const NumericOutputs run = run_on(algorithm, point, unlimited, inputs);
      // Parts meet through their LSE in fp32, which at 21655 goes in steps of 2^-9.
      const double tolerance = algorithm.name == "split_kv" ? 2e-3 : 1e-5;
      const Matrix mean = inputs.at(TensorName::V)[0].colwise().mean();
      for (Count row = 0; row < 40; ++row)
        REQUIRE((run.outputs.at(TensorName::O)[0].row(row) - mean).cwiseAbs().maxCoeff() < tolerance);
      for (const Matrix& lse : run.outputs.at(TensorName::LSE)) REQUIRE(lse.allFinite());
    }
  }
}

TEST_CASE("an arbitrary mask hides what it says, and rows it hides wholly are zeros") {
  auto pairs = std::make_shared<PairMatrix>(PairMatrix{.rows = 8, .cols = 8, .visible = std::vector<bool>(64, false)});
  for (std::size_t row = 0; row < 4; ++row) {
    for (std::size_t col = 0; col < 4; ++col) pairs->visible[row * 8 + col] = true;
  }
  Case point = small_case(8, 8, MaskKind::none);
  point.problem.mask = {.kind = MaskKind::arbitrary, .left = {}, .right = {}, .pairs = pairs};
  point.options.unfused_dropout = false;
  const Values inputs = attention_inputs(point.problem, numbers_seed);
  const Values expected = attention_reference(point.problem, inputs, Dropout::none, infinity);
  CHECK(expected.at(TensorName::O)[0].bottomRows(4).isZero(0));
  for (const std::string_view name : {"standard", "standard_tiled", "standard_unfused"}) {
    INFO(name);
    const NumericOutputs run = run_on(find_algorithm(name), point, unlimited, inputs);
    CHECK(run.outputs.at(TensorName::O)[0].bottomRows(4).isZero(0));
    CHECK(compare(point.problem, run.outputs, expected).ok);
  }
  CHECK_THROWS_WITH(count(find_algorithm("flash2"), point, unlimited), contains("--mask arbitrary"));
}

TEST_CASE("the comparison is not fooled") {
  const Problem problem = small_case(4, 4, MaskKind::none).problem;
  const Values zeros = {{TensorName::O, {Matrix::Zero(4, 16)}}, {TensorName::LSE, {Matrix::Constant(4, 1, infinity)}}};
  SECTION("a mean of V where the answer is zero is an error, however finite") {
    Values wrong = zeros;
    wrong[TensorName::O][0].row(2).setConstant(0.25);
    CHECK_FALSE(compare(problem, wrong, zeros).ok);
  }
  SECTION("NaN never agrees, not even with NaN") {
    Values broken = zeros;
    broken[TensorName::O][0](1, 3) = std::nan("");
    CHECK_FALSE(compare(problem, broken, zeros).ok);
    CHECK_FALSE(compare(problem, broken, broken).ok);
    CHECK(compare(problem, broken, zeros).nan_rows == 1);
  }
  SECTION("a finite LSE, or the other infinity, is not the declared one") {
    Values finite = zeros;
    finite[TensorName::LSE][0](0, 0) = 0;
    CHECK_FALSE(compare(problem, finite, zeros).ok);
    finite[TensorName::LSE][0](0, 0) = -infinity;
    CHECK_FALSE(compare(problem, finite, zeros).ok);
  }
  CHECK(compare(problem, zeros, zeros).ok);
}

TEST_CASE("causal and a window of the whole length agree") {
  Case causal = small_case(100, 100, MaskKind::causal);
  Case window = causal;
  window.problem.mask = {.kind = MaskKind::window, .left = 99, .right = 0, .pairs = {}};
  const Values inputs = attention_inputs(causal.problem, numbers_seed);
  const auto a = run_on(find_algorithm("flash2"), causal, unlimited, inputs);
  const auto b = run_on(find_algorithm("flash2"), window, unlimited, inputs);
  CHECK(a.counted.work == b.counted.work);
  CHECK(compare(causal.problem, a.outputs, b.outputs).ok);
}

TEST_CASE("statistics, scores or O in a coarser type than the operands are judged by that type") {
  for (const Algorithm& algorithm : algorithms()) {
    INFO(algorithm.name);
    for (const DType coarse : {DType::fp16, DType::bf16}) {
      Case point = adapted(small_case(64, 80, MaskKind::causal, DType::fp64), algorithm.formula());
      point.problem.stat_dtype = point.problem.score_dtype = point.problem.o_dtype = coarse;
      const NumericCheck check = run_numeric(algorithm, point, unlimited, numbers_seed).check;
      INFO("frobenius " << check.rel_frobenius << " LSE " << check.max_lse_error);
      CHECK(check.ok);
      CHECK(check.rel_frobenius < 0.02);
    }
  }
}

TEST_CASE("fp8 operands have no numeric mode") {
  const Case point = small_case(8, 8, MaskKind::none, DType::fp8);
  CHECK_THROWS_WITH(run_numeric(find_algorithm("flash2"), point, unlimited, 1), contains("--dtype fp8"));
}
