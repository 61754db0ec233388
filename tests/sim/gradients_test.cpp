// The gradients: their reference against finite differences, and what is particular to the backward passes.
#include <cmath>
#include <random>

#include "model/closed_form/catalog.hpp"
#include "model/closed_form/gradients.hpp"
#include "sim/catalog.hpp"
#include "sim/numeric.hpp"
#include "tests/sim/unlimited.hpp"
#include "tests/support/cases.hpp"
#include "tests/support/catch.hpp"

using namespace tilemeter;
using namespace tilemeter::testing;

namespace {

constexpr std::uint64_t gradients_seed = 815;

Case small_case(Count seq_q, Count seq_k, Mask mask) {
  Case point;
  point.problem = {.heads = 4, .kv_heads = 2, .seq_q = seq_q, .seq_k = seq_k, .head_dim = 5, .head_dim_v = 3};
  point.problem.mask = std::move(mask);
  point.problem.dtype = point.problem.stat_dtype = point.problem.score_dtype = point.problem.o_dtype = DType::fp64;
  point.tiling = {.block_q = 4, .block_k = 3};
  return point;
}

const std::vector<Mask> masks = {{},
                                 {.kind = MaskKind::causal},
                                 {.kind = MaskKind::causal_top_left},
                                 {.kind = MaskKind::window, .left = 2, .right = 1}};

/// Sum of dO o O: the loss whose gradients the backward pass computes.
double loss(const Problem& problem, const Values& inputs, Dropout dropout) {
  const Values outputs = attention_reference(problem, inputs, dropout, 0);
  double sum = 0;
  for (std::size_t stream = 0; stream < outputs.at(TensorName::O).size(); ++stream) {
    sum += outputs.at(TensorName::O)[stream].cwiseProduct(inputs.at(TensorName::dO)[stream]).sum();
  }
  return sum;
}

/// The largest difference between the reference and central differences of the loss, over all elements of `operand`.
double worst_difference(const Problem& problem, Values inputs, Dropout dropout, TensorName operand,
                        TensorName gradient) {
  constexpr double step = 1e-5;
  const Values reference = gradients_reference(problem, inputs, dropout);
  double worst = 0;
  for (std::size_t stream = 0; stream < inputs.at(operand).size(); ++stream) {
    for (Eigen::Index i = 0; i < inputs.at(operand)[stream].size(); ++i) {
      double& element = inputs[operand][stream].data()[i];
      const double kept = element;
      element = kept + step;
      const double above = loss(problem, inputs, dropout);
      element = kept - step;
      const double below = loss(problem, inputs, dropout);
      element = kept;
      worst = std::max(worst, std::fabs((above - below) / (2 * step) - reference.at(gradient)[stream].data()[i]));
    }
  }
  return worst;
}

void check_by_differences(const Problem& problem, Dropout dropout) {
  const Values inputs = random_inputs(find_algorithm("flash2_backward"), {problem, {}, {}}, gradients_seed);
  CHECK(worst_difference(problem, inputs, dropout, TensorName::Q, TensorName::dQ) < 1e-8);
  CHECK(worst_difference(problem, inputs, dropout, TensorName::K, TensorName::dK) < 1e-8);
  CHECK(worst_difference(problem, inputs, dropout, TensorName::V, TensorName::dV) < 1e-8);
}

std::vector<Algorithm> backward_algorithms() {
  std::vector<Algorithm> found;
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.computation() == Computation::gradients) found.push_back(algorithm);
  }
  return found;
}

}  // namespace

TEST_CASE("the reference gradients are finite differences of the loss") {
  for (const Mask& mask : masks) {
    for (const Packing packing : {Packing::unpacked, Packing::packed}) {
      for (const auto& [seq_q, seq_k] : {std::pair<Count, Count>{7, 7}, {5, 9}, {9, 5}, {6, 1}}) {
        Problem problem = small_case(seq_q, seq_k, mask).problem;
        problem.packing = packing;
        INFO(name_of(mask.kind) << " " << seq_q << " x " << seq_k << " packed " << (packing == Packing::packed));
        check_by_differences(problem, Dropout::none);
      }
    }
  }
  check_by_differences(small_case(8, 8, {.kind = MaskKind::causal}).problem, Dropout::fixed);
}

TEST_CASE("keys that no query reaches get zeros, and queries without a key too") {
  for (const Algorithm& algorithm : backward_algorithms()) {
    for (const Variant variant : {Variant::atomics, Variant::two_kernels}) {
      INFO(algorithm.name << " " << name_of(variant));
      const auto run = [&](Case point) {
        if (algorithm.name == "flash2_backward") point.options.variant = variant;
        return run_on(algorithm, point, unlimited, random_inputs(algorithm, point, gradients_seed)).outputs;
      };
      // Queries 0 ... 3 at keys 0 ... 3 of 12; the key tiles 6 ... 8 and 9 ... 11 are never visited.
      const Values top_left = run(small_case(4, 12, {.kind = MaskKind::causal_top_left}));
      CHECK(top_left.at(TensorName::dK)[0].bottomRows(8).isZero(0));
      CHECK(top_left.at(TensorName::dV)[0].bottomRows(8).isZero(0));
      CHECK_FALSE(top_left.at(TensorName::dV)[0].topRows(4).isZero(0));
      // The last query sees the last key only, so the first keys are out of the window.
      const Values window = run(small_case(2, 12, {.kind = MaskKind::window, .left = 0, .right = 0}));
      CHECK(window.at(TensorName::dK)[1].topRows(10).isZero(0));
      // Queries 0 ... 7 of 12 see nothing.
      const Values dead = run(small_case(12, 4, {.kind = MaskKind::causal}));
      CHECK(dead.at(TensorName::dQ)[3].topRows(8).isZero(0));
      CHECK_FALSE(dead.at(TensorName::dQ)[3].bottomRows(3).isZero(0));
    }
  }
}

TEST_CASE("dead key tiles write their zeros and load nothing") {
  const Case point = small_case(4, 12, {.kind = MaskKind::causal_top_left});
  for (const char* name : {"flash1_backward", "flash2_backward"}) {
    const Work work = count(find_algorithm(name), point, unlimited).work;
    CHECK(work[TensorName::K].read.value() == 4 * 6 * 5);  // 4 heads, 2 tiles of 3 keys
    CHECK(work[TensorName::dKx].write.value() == 4 * 12 * 5);
    CHECK(work[TensorName::dK].write.value() == 2 * 12 * 5);
  }
}

TEST_CASE("accumulation in order costs a buffer a block, and gives the same numbers") {
  const Algorithm& algorithm = find_algorithm("flash2_backward");
  const Case unordered = small_case(20, 31, {.kind = MaskKind::causal});
  Case ordered = unordered;
  ordered.options.accumulation = Accumulation::deterministic;
  ordered.options.splits = 5;
  const Count rows = 20 * 5 * 4;
  const Values inputs = random_inputs(algorithm, unordered, gradients_seed);
  const NumericOutputs a = run_on(algorithm, unordered, unlimited, inputs);
  const NumericOutputs b = run_on(algorithm, ordered, unlimited, inputs);
  const auto difference = [&](auto direction) {
    return (b.counted.work[TensorName::dQacc].*direction - a.counted.work[TensorName::dQacc].*direction).value();
  };
  CHECK(difference(&Traffic::read) == 4 * rows);
  CHECK(difference(&Traffic::write) == 4 * rows);
  CHECK(compare(ordered.problem, b.outputs, a.outputs).ok);

  SECTION("the number of buffers is SMs / streams, rounded up, whatever the number of key tiles") {
    Case point = ordered;
    point.options.splits.reset();
    point.options.split_slots = 216;
    CHECK(accumulation_buffers(point) == 27);  // 108 SMs, 4 heads
    point.problem.batch = 30;
    CHECK(accumulation_buffers(point) == 1);
  }
  SECTION("a kernel of its own for dQ needs no order") {
    ordered.options.variant = Variant::two_kernels;
    CHECK(accumulation_buffers(ordered) == 1);
    CHECK(count(algorithm, ordered, unlimited).work[TensorName::dQacc].empty());
  }
}

TEST_CASE("a gradient that vanishes is judged by the terms that cancel, and by no more than that") {
  Case point = small_case(6, 1, {});
  point.problem.dtype = point.problem.score_dtype = point.problem.o_dtype = DType::fp16;
  point.problem.stat_dtype = DType::fp32;
  for (const Algorithm& algorithm : backward_algorithms()) {
    INFO(algorithm.name);
    const Values inputs = random_inputs(algorithm, point, gradients_seed);
    const Values expected = expected_outputs(algorithm, point, inputs);
    const Norms norms = expected_norms(algorithm, point, inputs);
    Values outputs = run_on(algorithm, point, unlimited, inputs).outputs;
    CHECK(expected.at(TensorName::dQ)[0].norm() < 1e-12);  // one key: the softmax is constant
    CHECK(norms.at(TensorName::dQ) > 0.1);
    CHECK(compare(point.problem, outputs, expected, norms).ok);
    outputs[TensorName::dQ][0].array() += 0.01 * norms.at(TensorName::dQ);
    CHECK_FALSE(compare(point.problem, outputs, expected, norms).ok);
  }
  const Case full = small_case(40, 40, {});
  const Values inputs = random_inputs(find_algorithm("flash2_backward"), full, gradients_seed);
  const Values expected = expected_outputs(find_algorithm("flash2_backward"), full, inputs);
  double squared = 0;
  for (const Matrix& dq : expected.at(TensorName::dQ)) squared += dq.squaredNorm();
  CHECK(expected_norms(find_algorithm("flash2_backward"), full, inputs).at(TensorName::dQ) < 2 * std::sqrt(squared));
}

TEST_CASE("the compulsory traffic of gradients: five tensors in, three out") {
  Case point = small_case(20, 30, {});
  for (const Algorithm& algorithm : backward_algorithms()) {
    INFO(algorithm.name);
    const Work least = compulsory(algorithm.name, point);
    const Count queries = 4 * 20;
    const Count keys = 2 * 30;  // of the K/V heads
    CHECK(least.total().read.value() == queries * (5 + 3 + 3) + keys * (5 + 3));
    CHECK(least.total().write.value() == queries * 5 + keys * (5 + 3));
  }
  point.problem.mask = {.kind = MaskKind::causal_top_left};
  point.problem.seq_q = 4;
  const Work least = compulsory("flash2_backward", point);
  CHECK(least[TensorName::K].read.value() == 2 * 6 * 5);  // 2 tiles of 3 keys
  CHECK(least[TensorName::dK].write.value() == 2 * 30 * 5);
}
