// The gate: right kernels pass, each kind of wrong kernel is caught.
#include "kernels/gate.hpp"

#include "kernels/flash2_backward.hpp"
#include "kernels/flash2_plain.hpp"
#include "tests/support/catch.hpp"

using namespace tilemeter;
using namespace tilemeter::kernels;

namespace {

Case point_of(Count seq, Count head_dim, Count heads = 2) {
  return {.problem = {.heads = heads,
                      .kv_heads = 1,
                      .seq_q = seq,
                      .seq_k = seq,
                      .head_dim = head_dim,
                      .head_dim_v = head_dim,
                      .dtype = DType::fp32,
                      .score_dtype = DType::fp32,
                      .o_dtype = DType::fp32},
          .tiling = {.block_q = 32, .block_k = 32}};
}

/// flash2_plain with another launch.
Kernel changed(void (*launch)(const Tensors&, const Case&, Stream)) {
  Kernel kernel = kernel_named("flash2_plain");
  kernel.launch = launch;
  return kernel;
}

GateResult gate(const Kernel& kernel, const Case& point, double work = 1e9) {
  OperandMemory memory(kernel, point, 1);
  return pass_gate(kernel, point, memory, {.seed = 1, .work = work}, nullptr);
}

std::string failure(const Kernel& kernel, const Case& point) { return gate(kernel, point).failure.value_or("none"); }

}  // namespace

TEST_CASE("gate: a right kernel passes, all rows or some compared", "[gate]") {
  for (const MaskKind mask : {MaskKind::none, MaskKind::causal, MaskKind::causal_top_left}) {
    for (const Count seq : {1, 33, 200}) {
      Case point = point_of(seq, 64);
      point.problem.mask.kind = mask;
      const GateResult result = gate(kernel_named("flash2_plain"), point);
      INFO(result.failure.value_or(""));
      CHECK(!result.failure);
      CHECK(result.rows == 2 * seq);
      CHECK(result.rows_in_all == 2 * seq);
      REQUIRE(result.tensors.size() == 2);
      for (const TensorCheck& check : result.tensors) {
        CHECK((check.agreement.error > 0 || seq == 1));  // the O of a single key is its V
        CHECK(check.agreement.error < 1e-5);
      }
    }
  }
  const GateResult some = gate(kernel_named("flash2_plain"), point_of(200, 64), 1e6);
  CHECK(!some.failure);
  CHECK(some.rows < 400);
  CHECK(some.rows >= 4);
}

namespace {

/// Of the gradients: heads share K and V, so that dK and dV are sums over them.
Case gradients_of(Count seq, MaskKind mask, DType type) {
  return {.problem = {.batch = 2,
                      .heads = 4,
                      .kv_heads = 2,
                      .seq_q = seq,
                      .seq_k = seq + 5,
                      .head_dim = 64,
                      .head_dim_v = 64,
                      .mask = {.kind = mask},
                      .dtype = type,
                      .score_dtype = type,
                      .o_dtype = type},
          .tiling = {.block_q = 128, .block_k = 128}};
}

GateResult gate_of_gradients(const Kernel& kernel, const Case& point, double work) {
  OperandMemory memory(kernel, point, 1);
  return pass_gate(kernel, point, memory, {.seed = 1, .tolerance_growth = 2, .rounding_growth = 2, .work = work},
                   nullptr);
}

}  // namespace

TEST_CASE("gate: gradients are compared, all rows of queries and of keys or some", "[gate]") {
  for (const char* name : {"flash2_backward", "flash1_backward", "standard_backward"}) {
    for (const MaskKind mask : {MaskKind::none, MaskKind::causal, MaskKind::causal_top_left}) {
      for (const DType type : {DType::fp16, DType::bf16}) {
        for (const Count seq : {1, 200}) {
          const GateResult result = gate_of_gradients(kernel_named(name), gradients_of(seq, mask, type), 1e9);
          INFO(name << ", " << name_of(mask) << ", " << name_of(type) << ", " << seq << ": "
                    << result.failure.value_or(""));
          CHECK(!result.failure);
          CHECK(result.tensors.size() == 3);
          CHECK(result.rows == 8 * seq + 4 * (seq + 5));
          CHECK(result.rows_in_all == result.rows);
        }
      }
    }
    const GateResult some = gate_of_gradients(kernel_named(name), gradients_of(200, MaskKind::none, DType::bf16), 1e6);
    CHECK(!some.failure);
    CHECK(some.rows < some.rows_in_all);
  }
}

TEST_CASE("gate: gradients without the mask, of one head of a group, or not written, fail", "[gate]") {
  const auto failure_of = [](void (*launch)(const Tensors&, const Case&, Stream)) {
    Kernel kernel = kernel_named("flash2_backward");
    kernel.launch = launch;
    return gate_of_gradients(kernel, gradients_of(200, MaskKind::causal, DType::bf16), 1e9).failure.value_or("none");
  };
  CHECK_THAT(failure_of([](const Tensors& tensors, const Case& point, Stream stream) {
               Case unmasked = point;
               unmasked.problem.mask = {};
               launch_flash2_backward(tensors, unmasked, stream);
             }),
             contains("dQ: "));
  CHECK_THAT(failure_of([](const Tensors& tensors, const Case& point, Stream stream) {
               launch_flash2_backward(tensors, point, stream);
               Case ungrouped = point;
               ungrouped.problem.batch = 1;
               ungrouped.problem.heads = ungrouped.problem.kv_heads;
               launch_flash2_backward(tensors, ungrouped, stream);
             }),
             contains(" is above "));
  CHECK_THAT(failure_of([](const Tensors&, const Case&, Stream) {}), contains("NaN"));
}

TEST_CASE("B14: a kernel that uses 64 of 128 columns fails", "[gate]") {
  const Kernel half = changed([](const Tensors& tensors, const Case& point, Stream stream) {
    Case narrow = point;
    narrow.problem.head_dim = narrow.problem.head_dim_v = 64;
    launch_flash2_plain(tensors, narrow, stream);
  });
  CHECK_THAT(failure(half, point_of(64, 128)), contains("O: "));
}

TEST_CASE("B16, B8: a kernel that reads past the last key fails, also for one row", "[gate]") {
  const Kernel unbounded = changed([](const Tensors& tensors, const Case& point, Stream stream) {
    Case whole_tiles = point;
    whole_tiles.problem.seq_k = ceil_div(point.problem.seq_k, point.tiling.block_k) * point.tiling.block_k;
    launch_flash2_plain(tensors, whole_tiles, stream);
  });
  CHECK_THAT(failure(unbounded, point_of(1, 64, 1)), contains("NaN"));
  CHECK_THAT(failure(unbounded, point_of(70, 64, 1)), contains("NaN"));
  CHECK(failure(unbounded, point_of(64, 64)) == "none");
}

TEST_CASE("a kernel that writes past the last row fails", "[gate]") {
  const Kernel further = changed([](const Tensors& tensors, const Case& point, Stream stream) {
    Case longer = point;
    longer.problem.seq_q += 1;
    launch_flash2_plain(tensors, longer, stream);
  });
  CHECK_THAT(failure(further, point_of(64, 64, 1)), contains("behind a tensor"));
}

TEST_CASE("J5: a launch that does nothing, or fails, leaves no stale output that passes", "[gate]") {
  const Case point = point_of(64, 64);
  const Kernel right = kernel_named("flash2_plain");
  const Kernel nothing = changed([](const Tensors&, const Case&, Stream) {});
  OperandMemory memory(right, point, 1);
  CHECK(!pass_gate(right, point, memory, {}, nullptr).failure);
  CHECK_THAT(pass_gate(nothing, point, memory, {}, nullptr).failure.value_or(""), contains("NaN"));
  const Kernel fails =
      changed([](const Tensors&, const Case&, Stream) { TILEMETER_CHECK(cudaErrorLaunchOutOfResources); });
  CHECK_THAT(failure(fails, point), contains("the launch failed"));
}

TEST_CASE("NaN outside of the rows compared fails", "[gate]") {
  const Kernel hole = changed([](const Tensors& tensors, const Case& point, Stream stream) {
    launch_flash2_plain(tensors, point, stream);
    constexpr std::size_t middle = 1234 * 64;
    TILEMETER_CHECK(cudaMemsetAsync(tensors.at<float>(TensorName::O) + middle, 0xFF, 4, stream));
  });
  const GateResult result = gate(hole, point_of(3000, 64, 1), 1e6);
  CHECK_THAT(result.failure.value_or(""), contains("1 elements of O are NaN"));
  CHECK(result.rows < 100);
}

TEST_CASE("B20, B21: what a kernel does not support is refused before any number", "[gate]") {
  const Kernel& kernel = kernel_named("flash2_plain");
  for (const Count head_dim : {72, 96, 100}) {
    const Case point = point_of(64, head_dim);
    CHECK_THROWS_WITH(gate(kernel, point), contains("--head-dim"));
  }
}

TEST_CASE("memory that the GPU does not have is refused with both sizes", "[gate]") {
  const Kernel& kernel = kernel_named("flash2_plain");
  CHECK_THROWS_WITH(OperandMemory(kernel, point_of(Count{1} << 32, 128), 1), contains("B free of"));
}
