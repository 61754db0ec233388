// The rules by which numbers agree.
#include "kernels/agreement.hpp"

#include <cmath>

#include "tests/support/catch.hpp"

using namespace tilemeter;
using namespace tilemeter::kernels;

namespace {

/// One element compared.
ErrorSums element(double error, double norm, double rounding_error) {
  return {.squared_error = error * error,
          .squared_norm = norm * norm,
          .max_error = error,
          .max_relative_error = error / std::max(1.0, norm),
          .max_rounding_error = rounding_error,
          .compared = 1};
}

}  // namespace

TEST_CASE("C2: an error is held against twice that of the same type, not against a fixed one") {
  const ErrorSums sums = element(0.00244140625, 10, 0.0009765625);
  const Agreement agreement = judge(sums, ErrorMeasure::frobenius, tolerance_of(DType::fp16));
  CHECK(*agreement.allowed_max_error == 2 * 0.0009765625 + 1e-5);
  REQUIRE(agreement.failure);
  CHECK_THAT(*agreement.failure, contains("largest error"));
  CHECK(!judge(element(0.0019, 10, 0.0009765625), ErrorMeasure::frobenius, 1).failure);
  CHECK(!judge(element(0.0024, 10, 0.0009765625), ErrorMeasure::frobenius, 1, 1.3).failure);
}

TEST_CASE("C6: the tolerance is that of the type, the coarsest of a problem's") {
  CHECK(tolerance_of(DType::bf16) > tolerance_of(DType::fp16));
  CHECK(tolerance_of(DType::fp16) > tolerance_of(DType::fp32));
  Problem problem{.dtype = DType::fp16, .score_dtype = DType::fp16, .o_dtype = DType::fp16};
  CHECK(tolerance_of(problem) == tolerance_of(DType::fp16));
  problem.dtype = DType::bf16;
  CHECK(tolerance_of(problem) == tolerance_of(DType::bf16));
  const ErrorSums bf16_sized = element(5e-3, 1, 5e-3);
  CHECK(judge(bf16_sized, ErrorMeasure::frobenius, tolerance_of(DType::fp16)).failure);
  CHECK(!judge(bf16_sized, ErrorMeasure::frobenius, tolerance_of(DType::bf16)).failure);
}

TEST_CASE("elements that are not finite agree with nothing, whatever their errors") {
  ErrorSums sums = element(0, 1, 1);
  sums.not_finite = 1;
  CHECK_THAT(judge(sums, ErrorMeasure::frobenius, 1).failure.value_or(""), contains("NaN"));
  CHECK_THAT(judge(sums, ErrorMeasure::each, 1).failure.value_or(""), contains("NaN"));
  CHECK(judge(element(std::nan(""), 1, 1), ErrorMeasure::frobenius, 1).failure);
  CHECK(judge(element(std::nan(""), 1, 1), ErrorMeasure::each, 1).failure);
}

TEST_CASE("nothing compared is no agreement") {
  CHECK_THAT(judge({}, ErrorMeasure::frobenius, 1).failure.value_or(""), contains("nothing"));
}

TEST_CASE("an LSE is held against its own size") {
  CHECK(!judge(element(5e-4, 100, 0), ErrorMeasure::each, 1e-5).failure);
  CHECK(judge(element(5e-4, 1, 0), ErrorMeasure::each, 1e-5).failure);
}

TEST_CASE("sums of comparisons add up, and keep the largest errors") {
  const ErrorSums sum = element(3, 1, 0.5) + element(4, 2, 0.25);
  CHECK(sum.squared_error == 25);
  CHECK(sum.squared_norm == 5);
  CHECK(sum.max_error == 4);
  CHECK(sum.max_relative_error == 3);
  CHECK(sum.max_rounding_error == 0.5);
  CHECK(sum.compared == 2);
}
