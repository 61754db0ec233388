// The neighbours of attention: what the laws, which draw small random points, do not say.
#include <cmath>

#include "model/closed_form/catalog.hpp"
#include "sim/catalog.hpp"
#include "sim/numeric.hpp"
#include "tests/sim/unlimited.hpp"
#include "tests/support/catch.hpp"

using namespace tilemeter;

namespace {

constexpr std::uint64_t neighbours_seed = 4712;

Case softmax_point(Variant variant) {
  Case point;
  point.problem.dtype = point.problem.score_dtype = point.problem.o_dtype = DType::fp32;
  point.shapes = {.rows = 3, .cols = 50};
  point.tiling.block_k = 16;
  point.options.variant = variant;
  return point;
}

NumericOutputs run_softmax(Variant variant, const Values& inputs) {
  return run_on(find_algorithm("softmax"), softmax_point(variant), unlimited, inputs);
}

}  // namespace

TEST_CASE("without the maximum, large logits overflow to NaN; the other variants do not mind them") {
  const Algorithm& algorithm = find_algorithm("softmax");
  Values inputs = random_inputs(algorithm, softmax_point(Variant::safe), neighbours_seed);
  inputs[TensorName::X][0].row(1).array() += 200;  // e^200 passes the largest fp32
  const Values expected = expected_outputs(algorithm, softmax_point(Variant::safe), inputs);
  for (const Variant variant : {Variant::safe, Variant::online, Variant::resident}) {
    INFO(name_of(variant));
    CHECK(compare(softmax_point(variant).problem, run_softmax(variant, inputs).outputs, expected).ok);
  }
  const NumericCheck naive =
      compare(softmax_point(Variant::naive).problem, run_softmax(Variant::naive, inputs).outputs, expected);
  CHECK_FALSE(naive.ok);
  CHECK(naive.nan_rows == 1);
}

TEST_CASE("an online softmax takes 3V - 1 exponentials a row, whatever the piece") {
  for (const Count piece : {1, 7, 50, 200}) {
    Case point = softmax_point(Variant::online);
    point.tiling.block_k = piece;
    const Work work = count(find_algorithm("softmax"), point, unlimited).work;
    CHECK(work.exp.scores + work.exp.rescale == 3 * (3 * 50 - 1));
  }
}

TEST_CASE("int4 weights with groups cost half a byte and two bytes a group, and stay close to what they stand for") {
  Case point;
  point.shapes = {.tokens = 4, .d_in = 256, .d_out = 32};
  point.options.weight_type = WeightType::int4;
  point.options.group_size = 64;
  point.tiling = {.block_k = 48, .block_m = 4, .block_n = 8};
  const NumericRun run = run_numeric(find_algorithm("weight_layer"), point, unlimited, neighbours_seed);
  CHECK(run.check.ok);
  CHECK(run.counted.work[TensorName::W].read_bytes == Bytes(32 * 128));
  CHECK(run.counted.work[TensorName::scales].read_bytes == Bytes(32 * 4 * 2));
}

TEST_CASE("rows of an odd number of int4 weights end on a whole byte") {
  Case point;
  point.shapes = {.tokens = 1, .d_in = 5, .d_out = 3};
  point.options.weight_type = WeightType::int4;
  CHECK(count(find_algorithm("weight_layer"), point, unlimited).work[TensorName::W].read_bytes == Bytes(9));
}

TEST_CASE("a wrong partial sum, or a wrong scale, does not pass the comparison") {
  Case point;
  point.shapes = {.m = 6, .n = 6, .k = 40};
  point.tiling = {.block_k = 4, .block_m = 3, .block_n = 3};
  point.options.gemm_order = GemmOrder::a_stationary;
  const Algorithm& algorithm = find_algorithm("gemm");
  const Values inputs = random_inputs(algorithm, point, neighbours_seed);
  const Values expected = expected_outputs(algorithm, point, inputs);
  Values outputs = run_on(algorithm, point, unlimited, inputs).outputs;
  const double growth = tolerance_growth(algorithm, point);
  CHECK(growth == std::sqrt(10.0));
  CHECK(compare(point.problem, outputs, expected, {}, growth).ok);
  outputs[TensorName::C][0] -= inputs.at(TensorName::A)[0].leftCols(4) * inputs.at(TensorName::B)[0].topRows(4);
  CHECK_FALSE(compare(point.problem, outputs, expected, {}, growth).ok);
}

TEST_CASE("products and softmax at sizes near 2^40 are counted at once") {
  Case point;
  point.shapes = {.m = Count{1} << 20, .n = Count{1} << 20, .k = Count{1} << 12, .rows = Count{1} << 40, .cols = 4096};
  for (const std::string_view name : {"gemm", "softmax"}) {
    const Algorithm& algorithm = find_algorithm(name);
    CHECK(count(algorithm, point, unlimited).work == closed_form(name, point));
  }
}
