// The references on the GPU against those of the simulator, and the random inputs.
#include "kernels/reference.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>

#include "kernels/gate.hpp"
#include "sim/catalog.hpp"
#include "sim/numeric.hpp"
#include "tests/support/cases.hpp"
#include "tests/support/catch.hpp"

using namespace tilemeter;
using namespace tilemeter::kernels;

namespace {

std::vector<double> row_major(const std::vector<Matrix>& matrices) {
  std::vector<double> values;
  for (const Matrix& matrix : matrices) {
    for (Eigen::Index row = 0; row < matrix.rows(); ++row) {
      for (Eigen::Index col = 0; col < matrix.cols(); ++col) values.push_back(matrix(row, col));
    }
  }
  return values;
}

/// The simulator's values in device memory, in double.
class UploadedValues {
 public:
  explicit UploadedValues(const Values& values) {
    for (const auto& [name, matrices] : values) {
      const std::vector<double> host = row_major(matrices);
      const auto& memory = memory_.emplace(name, Buffer<double>(std::span<const double>(host))).first->second;
      tensors_.set(name, const_cast<double*>(memory.data()));
      operands_.push_back({name, Role::input, DType::fp64, std::ssize(host)});
    }
  }
  const Tensors& tensors() const { return tensors_; }
  const std::vector<Operand>& operands() const { return operands_; }

 private:
  std::map<TensorName, Buffer<double>> memory_;
  std::vector<Operand> operands_;
  Tensors tensors_;
};

std::vector<Count> all_rows(const OutputShape& shape) { return rows_to_check(shape, 1e18, Count{1} << 60, 1); }

void check_equal(const std::vector<double>& values, const std::vector<double>& expected) {
  REQUIRE(values.size() == expected.size());
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool close = std::abs(values[i] - expected[i]) <= 1e-12 * (1 + std::abs(expected[i]));
    wrong += values[i] == expected[i] || close ? 0 : 1;
  }
  CHECK(wrong == 0);
}

/// Rounding to the type moves values, and not by more than the type's tolerance.
void check_rounded(const ReferenceRows& reference, DType type) {
  const std::vector<double> exact = reference.exact.to_host(), rounded = reference.rounded.to_host();
  double squared_error = 0, squared_norm = 0;
  for (const double square : reference.squares.to_host()) squared_norm += square;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    squared_error += (rounded[i] - exact[i]) * (rounded[i] - exact[i]);
    if (reference.squares.size() == 0) squared_norm += exact[i] * exact[i];
  }
  CHECK(std::sqrt(squared_error) <= 3 * tolerance_of(type) * std::sqrt(squared_norm));
}

void check_reference(std::string_view name, const Case& point, std::uint64_t seed) {
  INFO(name << ": " << testing::describe(point) << ", seed " << seed);
  const Algorithm& algorithm = find_algorithm(name);
  const Values inputs = random_inputs(algorithm, point, seed);
  const Values expected = expected_outputs(algorithm, point, inputs);
  const UploadedValues uploaded(inputs);
  std::vector<RowsToCheck> checked;
  for (const OutputShape& shape : output_shapes(name, point)) checked.push_back({shape, all_rows(shape)});
  const auto references = reference_rows(name, uploaded.tensors(), uploaded.operands(), point, checked,
                                         empty_lse_of(algorithm, point.options), nullptr);
  REQUIRE(references.size() == expected.size());
  for (const ReferenceRows& reference : references) {
    INFO(name_of(reference.tensor));
    check_equal(reference.exact.to_host(), row_major(expected.at(reference.tensor)));
    if (reference.rounded.size() > 0) check_rounded(reference, point.problem.dtype);
  }
  const Norms norms = expected_norms(algorithm, point, inputs);
  if (norms.empty()) return;
  for (const auto& [tensor, norm] : norms) {
    const auto own =
        std::find_if(references.begin(), references.end(), [&](const auto& r) { return r.tensor == tensor; });
    double squares = 0;
    for (const double square : own->squares.to_host()) squares += square;
    CHECK(std::sqrt(squares) == Approx(norm));
  }
}

}  // namespace

TEST_CASE("the reference on the GPU is the simulator's, for every computation", "[gate]") {
  std::mt19937_64 random(1);
  for (const std::string_view name : {"flash2", "gemm", "weight_layer", "softmax", "elementwise", "linear_attention",
                                      "flash2_backward", "standard_backward"}) {
    for (int i = 0; i < 60; ++i) {
      Case point = testing::random_case(random, testing::Extent::small);
      point.problem.packing = Packing::unpacked;
      point.options.unfused_gradients = {};  // kernels have no dropout
      point = testing::adapted(point, find_algorithm(name).formula(), random);
      check_reference(name, point, random());
    }
  }
}

TEST_CASE("long rows of the reference, more than a block has threads", "[gate]") {
  Case point{.problem = {.heads = 4, .kv_heads = 2, .seq_q = 40, .seq_k = 700, .mask = {.kind = MaskKind::causal}}};
  check_reference("flash2", point, 7);
  point.shapes = {.m = 5, .n = 300, .k = 257, .rows = 6, .cols = 3000, .length = 100'000};
  check_reference("gemm", point, 8);
  check_reference("softmax", point, 9);
  point.options.ops = 3;
  check_reference("elementwise", point, 10);
}

TEST_CASE("rows to check: all that can be afforded, else ends and random ones of every matrix", "[gate]") {
  const OutputShape shape{TensorName::O, 3, 100, 8, 1000};
  CHECK(all_rows(shape).size() == 300);
  const std::vector<Count> some = rows_to_check(shape, 30 * 1000, 1'000'000, 1);
  CHECK(some.size() <= 30);
  CHECK(some.size() >= 20);
  CHECK(std::is_sorted(some.begin(), some.end()));
  const std::set<Count> chosen(some.begin(), some.end());
  CHECK(chosen.size() == some.size());
  for (const Count end : {0, 99, 100, 199, 200, 299}) CHECK(chosen.count(end) == 1);
  CHECK(rows_to_check(shape, 1e9, 8 * 30, 1).size() <= 30);
  CHECK(rows_to_check(shape, 0, 0, 1).size() == 6);
  CHECK(rows_to_check({TensorName::Y, 1, Count{1} << 32, 1, 1}, 1e18, Count{1} << 60, 1).size() <= 1 << 22);
  CHECK(rows_to_check(shape, 30 * 1000, 1'000'000, 2) != some);
}

namespace {

template <class T>
std::vector<T> normal_numbers(DType type, Count size, std::uint64_t seed, std::uint64_t sequence) {
  Buffer<T> memory(static_cast<std::size_t>(size));
  fill_normal(memory.data(), type, size, seed, sequence, nullptr);
  TILEMETER_CHECK(cudaStreamSynchronize(nullptr));
  return memory.to_host();
}

double moment(const std::vector<double>& values, int power) {
  double sum = 0;
  for (const double value : values) sum += std::pow(value, power);
  return sum / static_cast<double>(values.size());
}

}  // namespace

TEST_CASE("inputs are standard normal, and the same for the same seed", "[gate]") {
  constexpr Count size = 1'000'000;
  const auto values = normal_numbers<double>(DType::fp64, size, 1, 2);
  CHECK(std::abs(moment(values, 1)) < 0.005);
  CHECK(moment(values, 2) == Approx(1).epsilon(0.01));
  CHECK(std::abs(moment(values, 3)) < 0.02);
  CHECK(moment(values, 4) == Approx(3).epsilon(0.03));
  CHECK(std::set<double>(values.begin(), values.end()).size() > std::size_t{99} * size / 100);
  CHECK(values == normal_numbers<double>(DType::fp64, size, 1, 2));
  CHECK(values != normal_numbers<double>(DType::fp64, size, 1, 3));
  CHECK(values != normal_numbers<double>(DType::fp64, size, 2, 2));
  std::vector<double> neighbours;
  for (std::size_t i = 1; i < values.size(); ++i) neighbours.push_back(values[i] * values[i - 1]);
  CHECK(std::abs(moment(neighbours, 1)) < 0.005);
}

TEST_CASE("inputs are rounded to their type, and compared in it", "[gate]") {
  constexpr Count size = 10'000;
  const auto exact = normal_numbers<double>(DType::fp64, size, 1, 2);
  std::vector<Count> rows(static_cast<std::size_t>(size));
  for (Count i = 0; i < size; ++i) rows[static_cast<std::size_t>(i)] = i;
  for (const DType type : {DType::fp16, DType::bf16, DType::fp32}) {
    INFO(name_of(type));
    Buffer<double> expected{std::span<const double>(exact)};
    std::vector<double> rounded_values(exact);
    for (double& value : rounded_values) value = round_to(type, value);
    Buffer<double> rounded{std::span<const double>(rounded_values)};
    Buffer<float> memory(static_cast<std::size_t>(size));
    fill_normal(memory.data(), type, size, 1, 2, nullptr);
    const ErrorSums sums = compare_rows(memory.data(), type, rows, 1, expected.data(), rounded.data(), nullptr);
    CHECK(sums.compared == size);
    CHECK(sums.not_finite == 0);
    CHECK(sums.max_error == sums.max_rounding_error);
    CHECK(compare_rows(memory.data(), type, rows, 1, rounded.data(), rounded.data(), nullptr).max_error == 0);
  }
}
