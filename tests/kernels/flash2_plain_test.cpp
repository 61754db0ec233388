#include "kernels/flash2_plain.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "kernels/buffer.hpp"
#include "tests/kernels/dense_reference.hpp"
#include "tests/kernels/expected_traffic.hpp"
#include "tests/support/catch.hpp"

using namespace tilemeter;
using namespace tilemeter::kernels;

namespace {

constexpr std::size_t guard = 64;  ///< elements after each output that must stay poisoned

/// A problem's tensors on the device.
class DeviceTensors {
 public:
  DeviceTensors(const Inputs& inputs, const Outputs& shape)
      : q_(std::span(inputs.q)),
        k_(std::span(inputs.k)),
        v_(std::span(inputs.v)),
        o_(shape.o.size() + guard),
        lse_(shape.lse.size() + guard) {
    poison();
  }
  void poison() {
    o_.poison();
    lse_.poison();
  }
  ForwardTensors pointers() { return {q_.data(), k_.data(), v_.data(), o_.data(), lse_.data()}; }
  std::vector<float> o() const { return o_.to_host(); }
  std::vector<float> lse() const { return lse_.to_host(); }

 private:
  Buffer<float> q_, k_, v_, o_, lse_;
};

/// Equal infinities agree; a NaN agrees with nothing.
bool agrees(double value, double expected, double tolerance) {
  if (std::isinf(expected)) return value == expected;
  return std::abs(value - expected) <= tolerance * (1 + std::abs(expected));
}

std::size_t disagreements(const std::vector<float>& values, const std::vector<double>& expected, double tolerance) {
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) wrong += agrees(values[i], expected[i], tolerance) ? 0 : 1;
  for (std::size_t i = expected.size(); i < values.size(); ++i) wrong += std::isnan(values[i]) ? 0 : 1;
  return wrong;
}

void check_outputs(const DeviceTensors& tensors, const Outputs& expected, double tolerance) {
  CHECK(disagreements(tensors.o(), expected.o, tolerance) == 0);
  CHECK(disagreements(tensors.lse(), expected.lse, tolerance) == 0);
}

void check_traffic(const Work& counted, const Work& expected) {
  for (std::size_t i = 0; i < tensor_count; ++i) {
    INFO(tensor_names[i]);
    CHECK(counted.tensors[i].read.value() == expected.tensors[i].read.value());
    CHECK(counted.tensors[i].write.value() == expected.tensors[i].write.value());
    CHECK((counted.tensors[i] == expected.tensors[i]));
  }
  CHECK(counted.tiles == expected.tiles);
}

/// Both twins of the kernel: numbers against the reference, traffic against the direct count.
void check_point(const Case& point, double magnitude = 1, double tolerance = 1e-5) {
  constexpr unsigned seed = 20240917;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const bool plus = point.options.empty_lse == EmptyLse::plus_infinity;
  INFO(describe(point.problem) << ", tiles " << point.tiling.block_q << "x" << point.tiling.block_k << ", seed "
                               << seed);
  const Inputs inputs = random_inputs(point.problem, magnitude, seed);
  const Outputs expected = dense_reference(point.problem, inputs, plus ? infinity : -infinity);
  DeviceTensors tensors(inputs, expected);
  launch_flash2_plain(tensors.pointers(), point, nullptr);
  check_outputs(tensors, expected, tolerance);
  tensors.poison();
  const Work counted = count_flash2_plain(tensors.pointers(), point, nullptr);
  check_outputs(tensors, expected, tolerance);
  check_traffic(counted, expected_traffic(point));
}

Case point_of(const KernelTiling& tiling, Count seq_q, Count seq_k, const Mask& mask) {
  return {.problem = {.batch = 1,
                      .heads = 2,
                      .kv_heads = 1,
                      .seq_q = seq_q,
                      .seq_k = seq_k,
                      .head_dim = tiling.head_dim,
                      .head_dim_v = tiling.head_dim_v,
                      .mask = mask,
                      .dtype = DType::fp32},
          .tiling = {.block_q = tiling.block_q, .block_k = tiling.block_k}};
}

}  // namespace

TEST_CASE("flash2_plain: numbers and traffic of every tiling, shape and mask") {
  const std::pair<Count, Count> shapes[] = {{1, 1},  {1, 300},   {300, 1},   {64, 64},   {65, 63},
                                            {33, 0}, {200, 200}, {130, 257}, {257, 130}, {128, 256}};
  for (const KernelTiling& tiling : flash2_plain_tilings) {
    for (const auto& [seq_q, seq_k] : shapes) {
      for (const Mask& mask : all_masks()) check_point(point_of(tiling, seq_q, seq_k, mask));
    }
  }
}

TEST_CASE("flash2_plain: a few points for the checking tools", "[small]") {
  for (const KernelTiling& tiling : {flash2_plain_tilings.front(), flash2_plain_tilings.back()}) {
    for (const Mask& mask : {Mask{}, Mask{.kind = MaskKind::causal}, Mask{.kind = MaskKind::window, .left = 10}}) {
      check_point(point_of(tiling, 70, 45, mask));
      check_point(point_of(tiling, 45, 70, mask));
    }
    check_point(point_of(tiling, 5, 0, Mask{}));
  }
}

TEST_CASE("flash2_plain: query heads share K/V heads in every ratio") {
  for (const Count kv_heads : {1, 2, 3, 6}) {
    for (const Mask& mask : all_masks()) {
      Case point = point_of(flash2_plain_tiling(32, 64, 64), 97, 110, mask);
      point.problem.batch = 3;
      point.problem.heads = 6;
      point.problem.kv_heads = kv_heads;
      check_point(point);
    }
  }
}

TEST_CASE("flash2_plain: the LSE of rows without keys is the one asked for") {
  for (const EmptyLse lse : {EmptyLse::plus_infinity, EmptyLse::minus_infinity}) {
    for (const auto& [seq_q, seq_k] : {std::pair<Count, Count>{150, 20}, {150, 100}, {40, 0}}) {
      Case point = point_of(flash2_plain_tiling(32, 32, 32), seq_q, seq_k, {.kind = MaskKind::causal});
      point.options.empty_lse = lse;
      check_point(point);
    }
  }
}

TEST_CASE("flash2_plain: scores far apart") {
  for (const Mask& mask : all_masks()) {
    check_point(point_of(flash2_plain_tiling(64, 64, 128), 130, 190, mask), 6, 1e-4);
  }
}

TEST_CASE("flash2_plain: a stream of the caller's") {
  cudaStream_t stream = nullptr;
  TILEMETER_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  const Case point = point_of(flash2_plain_tiling(64, 32, 64), 300, 300, {.kind = MaskKind::causal});
  const Inputs inputs = random_inputs(point.problem, 1, 1);
  const Outputs expected = dense_reference(point.problem, inputs, std::numeric_limits<double>::infinity());
  DeviceTensors tensors(inputs, expected);
  launch_flash2_plain(tensors.pointers(), point, stream);
  TILEMETER_CHECK(cudaStreamSynchronize(stream));
  check_outputs(tensors, expected, 1e-5);
  tensors.poison();
  check_traffic(count_flash2_plain(tensors.pointers(), point, stream), expected_traffic(point));
  check_outputs(tensors, expected, 1e-5);
  TILEMETER_CHECK(cudaStreamDestroy(stream));
}

TEST_CASE("flash2_plain: what it cannot run is refused before anything is launched", "[small]") {
  Case point = point_of(flash2_plain_tiling(32, 32, 32), 8, 8, {});
  alignas(16) float memory[8] = {};
  const ForwardTensors misaligned{memory + 1, memory, memory, memory, memory};
  CHECK_THROWS_AS(launch_flash2_plain(misaligned, point, nullptr), std::invalid_argument);
  point.tiling.block_q = 48;
  CHECK_THROWS_WITH(launch_flash2_plain({}, point, nullptr), contains("48x32"));
  CHECK_THROWS_WITH(count_flash2_plain({}, point, nullptr), contains("48x32"));
}
