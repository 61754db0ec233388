// Laws 1 and 5 on a GPU, over the catalog: a kernel's numbers are the reference's, and its own counters the ledger's.
#include <cmath>
#include <random>
#include <stdexcept>

#include "sim/catalog.hpp"
#include "sim/numeric.hpp"
#include "tests/kernels/device_tensors.hpp"
#include "tests/kernels/kernel_points.hpp"
#include "tests/support/cases.hpp"
#include "tests/support/catch.hpp"

using namespace tilemeter;
using namespace tilemeter::kernels;

namespace {

/// What the kernel left of the tensors that the reference gives; LSE = m + log(l) where it keeps those instead.
Values outputs_of(const DeviceTensors& tensors, const Values& expected) {
  Values outputs;
  for (const auto& [name, matrices] : expected) {
    if (tensors.has(name)) {
      outputs[name] = tensors.values(name, matrices);
    } else if (name == TensorName::LSE && tensors.has(TensorName::m)) {
      outputs[name] = tensors.values(TensorName::m, matrices);
      const std::vector<Matrix> sums = tensors.values(TensorName::l, matrices);
      for (std::size_t stream = 0; stream < sums.size(); ++stream) {
        outputs[name][stream].array() += sums[stream].array().log();
      }
    }
  }
  return outputs;
}

bool same(const Values& a, const Values& b) {
  for (const auto& [name, matrices] : a) {
    for (std::size_t stream = 0; stream < matrices.size(); ++stream) {
      if ((matrices[stream].array() != b.at(name)[stream].array()).any()) return false;
    }
  }
  return true;
}

std::string words(const Kernel& kernel, const Case& point) {
  return std::string(kernel.name) + " --dtype " + std::string(name_of(point.problem.dtype)) + " --o-dtype " +
         std::string(name_of(point.problem.o_dtype)) + " --score-dtype " +
         std::string(name_of(point.problem.score_dtype)) + " " + testing::describe(point);
}

void check_outputs(const Algorithm& algorithm, const Case& point, const Values& inputs, const Values& outputs,
                   const Values& expected) {
  const NumericCheck check = compare(point.problem, outputs, expected, expected_norms(algorithm, point, inputs),
                                     tolerance_growth(algorithm, point));
  INFO("relative error " << check.rel_frobenius << ", of LSE " << check.max_lse_error << ", tolerance "
                         << check.tolerance << ", rows with NaN " << check.nan_rows);
  CHECK(check.ok);
}

void check_traffic(const Work& counted, const Work& ledger) {
  for (std::size_t i = 0; i < tensor_count; ++i) {
    INFO(tensor_names[i]);
    CHECK(counted.tensors[i].read.value() == ledger.tensors[i].read.value());
    CHECK(counted.tensors[i].write.value() == ledger.tensors[i].write.value());
    CHECK((counted.tensors[i] == ledger.tensors[i]));
  }
  CHECK(counted.tiles == ledger.tiles);
}

/// Both twins of the kernel, on poisoned outputs: the right numbers twice, the same where the kernel says so, and the
/// ledger's traffic.
void check_point(const Kernel& kernel, const Case& point, std::uint64_t seed) {
  INFO(words(kernel, point) << ", seed " << seed);
  const Algorithm& algorithm = find_algorithm(kernel.algorithm);
  const Values inputs = random_inputs(algorithm, point, seed);
  const Values expected = expected_outputs(algorithm, point, inputs);
  DeviceTensors tensors(kernel, point, inputs);
  kernel.launch(tensors.pointers(), point, nullptr);
  TILEMETER_CHECK(cudaStreamSynchronize(nullptr));
  const Values outputs = outputs_of(tensors, expected);
  check_outputs(algorithm, point, inputs, outputs, expected);

  tensors.reset();
  kernel.launch(tensors.pointers(), point, nullptr);
  TILEMETER_CHECK(cudaStreamSynchronize(nullptr));
  const Values again = outputs_of(tensors, expected);
  check_outputs(algorithm, point, inputs, again, expected);
  if (kernel.repeats == nullptr || kernel.repeats(point)) CHECK(same(outputs, again));

  tensors.reset();
  const Work counted = kernel.count(tensors.pointers(), point, nullptr);
  check_outputs(algorithm, point, inputs, outputs_of(tensors, expected), expected);
  check_traffic(counted, count(algorithm, point, Budget{}).work);
  CHECK(tensors.guards_hold());
}

void check_tilings(const Kernel& kernel, PointSize size, int repetitions, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (const KernelTiling& tiling : kernel.tilings) {
    for (int i = 0; i < repetitions; ++i) {
      check_point(kernel, random_kernel_point(kernel, tiling, size, random), random());
    }
  }
}

/// A section a kernel, so that one can be run by itself.
void check_kernels(PointSize size, int repetitions, std::uint64_t seed) {
  for (const Kernel& kernel : catalog()) {
    DYNAMIC_SECTION(kernel.name) { check_tilings(kernel, size, repetitions, seed); }
  }
}

}  // namespace

TEST_CASE("every kernel, in every tiling: numbers and counters of small points", "[small][each]") {
  check_kernels(PointSize::small, 4, 1);
}

TEST_CASE("every kernel, in every tiling: numbers and counters of many points", "[numbers]") {
  check_kernels(PointSize::small, 40, 2);
}

TEST_CASE("every kernel, in every tiling: numbers and counters of medium points", "[counters]") {
  check_kernels(PointSize::medium, 8, 3);
}

TEST_CASE("a stream of the caller's", "[small]") {
  cudaStream_t stream = nullptr;
  TILEMETER_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  std::mt19937_64 random(4);
  for (const Kernel& kernel : catalog()) {
    const Case point = random_kernel_point(kernel, kernel.tilings.front(), PointSize::small, random);
    INFO(words(kernel, point));
    const Algorithm& algorithm = find_algorithm(kernel.algorithm);
    const Values inputs = random_inputs(algorithm, point, 5);
    const Values expected = expected_outputs(algorithm, point, inputs);
    DeviceTensors tensors(kernel, point, inputs);
    kernel.launch(tensors.pointers(), point, stream);
    TILEMETER_CHECK(cudaStreamSynchronize(stream));
    check_outputs(algorithm, point, inputs, outputs_of(tensors, expected), expected);
  }
  TILEMETER_CHECK(cudaStreamDestroy(stream));
}

TEST_CASE("what a kernel cannot run is refused before anything is launched", "[small]") {
  std::mt19937_64 random(6);
  for (const Kernel& kernel : catalog()) {
    Case point = random_kernel_point(kernel, kernel.tilings.front(), PointSize::small, random);
    INFO(words(kernel, point));
    Tensors misaligned;
    for (const Operand& operand : kernel.operands(point)) misaligned.set(operand.name, reinterpret_cast<void*>(24));
    CHECK_THROWS_AS(kernel.launch(misaligned, point, nullptr), std::invalid_argument);
    CHECK_THROWS_AS(kernel.launch({}, point, nullptr), std::invalid_argument);
    point.problem.dtype = DType::fp64;
    CHECK_THROWS_WITH(kernel.launch({}, point, nullptr), contains("--dtype fp64"));
    CHECK_THROWS_WITH(kernel.count({}, point, nullptr), contains("--dtype fp64"));
  }
}
