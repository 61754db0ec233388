#include "sim/rounding.hpp"

#include <Eigen/Core>
#include <cmath>
#include <vector>

#include "sim/numerics.hpp"
#include "tests/support/catch.hpp"

using namespace tilemeter;

TEST_CASE("fp16 rounding agrees with an independent conversion on every binary16 value and between them") {
  for (std::uint32_t bits = 0; bits < 0x7C00U; ++bits) {
    const float value =
        static_cast<float>(Eigen::half(Eigen::numext::bit_cast<Eigen::half>(static_cast<std::uint16_t>(bits))));
    REQUIRE(round_to_fp16(value) == value);
    REQUIRE(round_to_fp16(-value) == -value);
    const float next = static_cast<float>(Eigen::numext::bit_cast<Eigen::half>(static_cast<std::uint16_t>(bits + 1)));
    if (!std::isfinite(next)) continue;
    for (const float part : {0.25F, 0.5F, 0.75F}) {
      const float inside = value + (next - value) * part;
      REQUIRE(round_to_fp16(inside) == static_cast<float>(Eigen::half(inside)));
    }
  }
  CHECK(round_to_fp16(65519.0F) == 65504.0F);
  CHECK(std::isinf(round_to_fp16(65520.0F)));
  CHECK(std::isnan(round_to_fp16(std::nanf(""))));
}

TEST_CASE("bf16 rounding goes to the nearest, ties to even") {
  CHECK(round_to_bf16(1.0F) == 1.0F);
  CHECK(round_to_bf16(1.00390625F) == 1.0F);       // a tie: 1 + 2^-8 goes to the even 1
  CHECK(round_to_bf16(1.01171875F) == 1.015625F);  // a tie: 1 + 3 * 2^-8 goes to the even 1 + 2^-6
  CHECK(round_to_bf16(-3.0e38F) == static_cast<float>(Eigen::bfloat16(-3.0e38F)));
  for (std::uint32_t bits = 0; bits < 0x7F800000U; bits += 65521) {
    const float value = std::bit_cast<float>(bits);
    REQUIRE(round_to_bf16(value) == static_cast<float>(Eigen::bfloat16(value)));
  }
}

TEST_CASE("e4m3 rounding goes to the nearest of its numbers, ties to even") {
  std::vector<float> numbers;  // of exponent e from -6 on m 2^(e - 3), 8 <= m < 16; below, m < 8 at e = -6; up to 448
  for (int m = 0; m < 8; ++m) numbers.push_back(std::ldexp(static_cast<float>(m), -9));
  for (int e = -6; e <= 8; ++e) {
    for (int m = 8; m < (e == 8 ? 15 : 16); ++m) numbers.push_back(std::ldexp(static_cast<float>(m), e - 3));
  }
  REQUIRE(numbers.size() == 127);
  REQUIRE(numbers.back() == 448);
  for (std::size_t i = 0; i + 1 < numbers.size(); ++i) {
    const float low = numbers[i], high = numbers[i + 1], middle = (low + high) / 2;
    REQUIRE(round_to_e4m3(low) == low);
    REQUIRE(round_to_e4m3(-low) == -low);
    REQUIRE(round_to_e4m3(std::nextafter(middle, 0.0F)) == low);
    REQUIRE(round_to_e4m3(middle) == (i % 2 == 0 ? low : high));
    REQUIRE(round_to_e4m3(std::nextafter(middle, 1000.0F)) == high);
  }
  CHECK(round_to_e4m3(1e9F) == 448);
  CHECK(round_to_e4m3(-450.0F) == -448);
  CHECK(std::isnan(round_to_e4m3(std::nanf(""))));
}

TEST_CASE("matrices are rounded in place, and types that hold them are left alone") {
  numerics::Numbers<double> matrix = numerics::Numbers<double>::Constant(2, 2, 1.0 / 3.0);
  numerics::round_all<double>(DType::fp64, matrix);
  CHECK(matrix(0, 0) == 1.0 / 3.0);
  numerics::round_all<double>(DType::fp32, matrix);
  CHECK(matrix(1, 1) == static_cast<double>(1.0F / 3.0F));
  numerics::round_all<double>(DType::bf16, matrix);
  CHECK(matrix(0, 1) == static_cast<double>(round_to_bf16(1.0F / 3.0F)));
}
