// What ops cost on each unit, against the cycles that were published and the budget of kernels.md, section 1.
#include "sim/time/cost.hpp"

#include <cmath>

#include "sim/catalog.hpp"
#include "sim/time/recorder.hpp"
#include "tests/support/catch.hpp"

using namespace tilemeter;

namespace {

/// Rates of a Hopper SM.
MachineRates hopper_rates() {
  MachineRates rates;
  rates.clock_hz = 1e9;
  rates.tensor = 4096;
  rates.exp = 16;
  rates.fma = 128;
  rates.alu = 64;
  rates.shared = 128;
  return rates;
}

Execution by(MatrixPath path, Count warps) {
  Execution execution;
  execution.matrix = path;
  execution.math_warps = warps;
  return execution;
}

Op product_op(Count m, Count n, Count k, Space a, DType type = DType::bf16) {
  Op op;
  op.unit = Unit::tensor;
  op.product = {.m = m, .n = n, .k = k, .a = a, .b = Space::shared, .type = type};
  op.matmul_flops = Flops(2 * m * n * k);
  return op;
}

double clocks(const UnitClocks& units, SmUnit unit) { return units[static_cast<std::size_t>(unit)]; }

/// Clocks of the ops of a step of the forward pass together: rows x keys scores, d columns of Q, K and V.
UnitClocks step_clocks(Count rows, Count keys, Count d, DType type, Space p) {
  const Execution execution = by(MatrixPath::wgmma, 8);
  const MachineRates rates = [&] {
    MachineRates it = hopper_rates();
    if (type == DType::fp8) it.tensor *= 2;
    return it;
  }();
  Op load;
  load.unit = Unit::memory;
  load.traffic.read_bytes = bytes_of(2 * keys, d, type);
  Op softmax;
  softmax.exp.scores = rows * keys;
  softmax.scalars = {.fma = 2 * rows * keys, .alu = 3 * rows * keys / 2};
  Op rescale;
  rescale.scalars.fma = rows * d;
  UnitClocks sum{};
  for (const Op& op :
       {load, product_op(rows, keys, d, Space::shared, type), softmax, rescale, product_op(rows, d, keys, p, type)}) {
    const UnitClocks it = clocks_of(op, execution, rates, Space::shared);
    for (std::size_t unit = 0; unit < sum.size(); ++unit) sum[unit] += it[unit];
  }
  return sum;
}

struct StepClocks {
  Count rows, keys, d;
  DType type;
  double tensor, shared, exp, fma, alu;
};

}  // namespace

TEST_CASE("a step of the forward pass by wgmma costs what the budget says") {
  const StepClocks rows[] = {{128, 128, 128, DType::bf16, 2048, 1792, 1024, 384, 384},
                             {128, 176, 128, DType::bf16, 2816, 2368, 1408, 480, 528},
                             {192, 128, 128, DType::bf16, 3072, 2432, 1536, 576, 576},
                             {192, 128, 64, DType::bf16, 1536, 1216, 1536, 480, 576},
                             {128, 80, 256, DType::bf16, 2560, 2432, 640, 416, 240},
                             {128, 224, 128, DType::fp8, 1792, 1472, 1792, 576, 672}};
  for (const StepClocks& row : rows) {
    CAPTURE(row.rows, row.keys, row.d);
    const UnitClocks step = step_clocks(row.rows, row.keys, row.d, row.type, Space::registers);
    CHECK(clocks(step, SmUnit::tensor) == row.tensor);
    CHECK(clocks(step, SmUnit::shared) == row.shared);
    CHECK(clocks(step, SmUnit::exp) == row.exp);
    CHECK(clocks(step, SmUnit::fma) == row.fma);
    CHECK(clocks(step, SmUnit::alu) == row.alu);
  }
}

TEST_CASE("a wgmma with few columns is as slow as shared memory delivers its operands") {
  // cycles of an m64nNk16 with both operands in shared memory, as published: max(N / 2, (2048 + 32 N) / 128)
  const std::pair<Count, double> published[] = {{8, 18.9},  {16, 20.7},  {32, 24.7},  {64, 32.8},
                                                {96, 48.7}, {128, 65.0}, {192, 97.1}, {256, 129.3}};
  for (const auto& [n, cycles] : published) {
    CAPTURE(n);
    const UnitClocks it =
        clocks_of(product_op(64, n, 16, Space::shared), by(MatrixPath::wgmma, 4), hopper_rates(), Space::registers);
    const double slowest = std::max(clocks(it, SmUnit::tensor), clocks(it, SmUnit::shared));
    CHECK(std::abs(slowest / cycles - 1) < 0.05);
  }
}

TEST_CASE("a warp's mma.sync reads B once for two of its 16-row pieces") {
  const auto bytes = [](Count m, Count warps) {
    return operand_bytes({.m = m, .n = 64, .k = 128, .type = DType::fp16}, by(MatrixPath::mma, warps)).value();
  };
  const Count b = 64 * 128 * 2;
  CHECK(bytes(128, 4) == 128 * 128 * 2 + 4 * b);  // two pieces a warp, one read
  CHECK(bytes(64, 4) == 64 * 128 * 2 + 4 * b);    // one piece a warp
  CHECK(bytes(256, 4) == 256 * 128 * 2 + 8 * b);  // four pieces a warp, two reads
  CHECK(bytes(16, 4) == 16 * 128 * 2 + b);        // one warp has rows
  CHECK(bytes(128, 8) == 128 * 128 * 2 + 8 * b);
  CHECK(operand_bytes({}, by(MatrixPath::mma, 4)).value() == 0);
}

TEST_CASE("operands in registers take nothing of shared memory") {
  const Product product = {.m = 64, .n = 64, .k = 64, .a = Space::registers, .b = Space::registers};
  for (const MatrixPath path : {MatrixPath::scalar, MatrixPath::mma, MatrixPath::wgmma})
    CHECK(operand_bytes(product, by(path, 4)) == Bytes(0));
}

TEST_CASE("products on the scalar path are multiply-adds") {
  MachineRates rates = hopper_rates();
  rates.tensor = 256;
  const UnitClocks it =
      clocks_of(product_op(64, 64, 64, Space::shared), by(MatrixPath::scalar, 4), rates, Space::registers);
  CHECK(clocks(it, SmUnit::tensor) == 0);
  CHECK(clocks(it, SmUnit::fma) == 64 * 64 * 64 / 128.0);
}

TEST_CASE("a load takes shared memory where it arrives there") {
  Op load;
  load.unit = Unit::memory;
  load.traffic.read_bytes = Bytes(1280);
  const Execution execution = by(MatrixPath::mma, 4);
  CHECK(clocks(clocks_of(load, execution, hopper_rates(), Space::shared), SmUnit::shared) == 10);
  CHECK(clocks(clocks_of(load, execution, hopper_rates(), Space::registers), SmUnit::shared) == 0);
}

TEST_CASE("scalar work stalls products for its share, and products scalar work") {
  MachineRates rates = hopper_rates();
  rates.stalls_tensor = {.exp = 0.25, .fma = 0.75, .alu = 0.5};
  rates.tensor_stalls = {.exp = 0.125, .fma = 0, .alu = 0.25};
  UnitClocks units{};
  units[static_cast<std::size_t>(SmUnit::tensor)] = 80;
  units[static_cast<std::size_t>(SmUnit::fma)] = 100;
  units[static_cast<std::size_t>(SmUnit::exp)] = 40;
  units[static_cast<std::size_t>(SmUnit::alu)] = 8;
  const UnitClocks lost = lost_clocks(units, rates);
  CHECK(clocks(lost, SmUnit::tensor) == 89);
  CHECK(clocks(lost, SmUnit::exp) == 10);
  CHECK(clocks(lost, SmUnit::fma) == 0);
  CHECK(clocks(lost, SmUnit::alu) == 20);
}

TEST_CASE("a step of flash3 as its verbs report it costs what the budget says") {
  Case point;
  point.problem = {
      .seq_q = 128, .seq_k = 4096, .head_dim = 128, .head_dim_v = 128, .dtype = DType::bf16, .stat_dtype = DType::fp32};
  const Recording recording = record(find_algorithm("flash3"), point, Budget{});
  const RecordedLaunch& launch = recording.launches.at(0);
  OpStream stream(launch, launch.blocks.at(0));
  UnitClocks sum{};
  IssuedOp issued;
  while (stream.next(issued)) {
    const Space arrives = issued.op->unit == Unit::memory ? Space::shared : Space::registers;
    const UnitClocks it = clocks_of(*issued.op, by(MatrixPath::wgmma, 8), hopper_rates(), arrives);
    for (std::size_t unit = 0; unit < sum.size(); ++unit) sum[unit] += it[unit];
  }
  // 32 steps, and once a block Q, O and what belongs to rows.
  const auto of_step = [&](SmUnit unit) { return clocks(sum, unit) / 32; };
  CHECK(of_step(SmUnit::tensor) == 2048);
  CHECK(std::abs(of_step(SmUnit::shared) / 1792 - 1) < 0.01);
  CHECK(std::abs(of_step(SmUnit::exp) / 1024 - 1) < 0.01);
  CHECK(std::abs(of_step(SmUnit::fma) / 384 - 1) < 0.02);
  CHECK(std::abs(of_step(SmUnit::alu) / 384 - 1) < 0.02);
}
