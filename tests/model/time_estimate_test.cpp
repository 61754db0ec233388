// Bounds and estimates against clocks that were worked out by hand and against published cases.
#include "model/time_estimate.hpp"

#include "model/closed_form/catalog.hpp"
#include "model/roofline.hpp"
#include "tests/support/catch.hpp"

using namespace tilemeter;

namespace {

/// An H200 by its architecture: the rates of a clock, 1.6 GHz.
MachineRates hopper() {
  MachineRates rates;
  rates.sms = 132;
  rates.clock_hz = 1.6e9;
  rates.tensor = 4096;
  rates.exp = 16;
  rates.fma = 128;
  rates.alu = 64;
  rates.shared = 128;
  rates.port = 64;
  rates.l2 = 8e12;
  rates.hbm = 4.3e12;
  rates.l2_latency = 290;
  rates.hbm_latency = 670;
  rates.launch = 1.3e-6;
  rates.barrier = 40;
  return rates;
}

Execution wgmma() {
  Execution execution;
  execution.matrix = MatrixPath::wgmma;
  execution.threads = 384;
  execution.math_warps = 8;
  return execution;
}

Case attention(Count seq, Count d, Count rows, Count keys, DType dtype = DType::bf16) {
  Case point;
  point.problem.batch = 4;
  point.problem.heads = point.problem.kv_heads = 16;
  point.problem.seq_q = point.problem.seq_k = seq;
  point.problem.head_dim = point.problem.head_dim_v = d;
  point.problem.dtype = point.problem.score_dtype = point.problem.o_dtype = dtype;
  point.tiling.block_q = rows;
  point.tiling.block_k = keys;
  point.tiling.stages = 2;
  return point;
}

TimeEstimate estimate_of(std::string_view algorithm, const Case& point, const Execution& execution,
                         const MachineRates& rates) {
  const Device device = load_device("h200");
  const Bytes hbm = compulsory(algorithm, point).total().total_bytes();
  return time_estimate(algorithm, point, execution, rates,
                       kernel_works(algorithm, point, execution, device, closed_form(algorithm, point), hbm));
}

/// Clocks of a step: tensor, shared memory, exponentials of scores, fma, alu.
std::vector<double> step_clocks(const Case& point) {
  const UnitAmounts amounts = step_amounts(point.problem, point.tiling.block_q, point.tiling.block_k, wgmma());
  MachineRates rates = hopper();
  if (point.problem.dtype == DType::fp8) rates.tensor = 8192;
  const TimeBounds clocks = sm_clocks(amounts, rates, MatrixPath::wgmma);
  const double rescaled = static_cast<double>(point.tiling.block_q) / rates.exp;
  return {clocks.at(Resource::tensor), clocks.at(Resource::shared), clocks.at(Resource::exp) - rescaled,
          clocks.at(Resource::fma), clocks.at(Resource::alu)};
}

}  // namespace

TEST_CASE("a step takes the clocks of the table of kernels.md 1.4") {
  using Clocks = std::vector<double>;
  CHECK(step_clocks(attention(4096, 128, 128, 128)) == Clocks{2048, 1792, 1024, 384, 384});
  CHECK(step_clocks(attention(4096, 128, 128, 176)) == Clocks{2816, 2368, 1408, 480, 528});
  CHECK(step_clocks(attention(4096, 128, 192, 128)) == Clocks{3072, 2432, 1536, 576, 576});
  CHECK(step_clocks(attention(4096, 64, 192, 128)) == Clocks{1536, 1216, 1536, 480, 576});
  // The table has 1152 clocks more of shared memory here, by which P is stored and read again; here P is in registers.
  CHECK(step_clocks(attention(4096, 64, 192, 192)) == Clocks{2304, 1728, 2304, 672, 864});
  CHECK(step_clocks(attention(4096, 256, 128, 80)) == Clocks{2560, 2432, 640, 416, 240});
  CHECK(step_clocks(attention(4096, 128, 128, 224, DType::fp8)) == Clocks{1792, 1472, 1792, 576, 672});
}

TEST_CASE("the amounts of a whole point are its tiles times those of one") {
  const Case point = attention(4096, 128, 128, 128);
  const Work work = closed_form("flash2", point);
  const UnitAmounts all = unit_amounts("flash2", point, work, wgmma());
  const UnitAmounts step = step_amounts(point.problem, 128, 128, wgmma());
  const Count q_and_o = 64 * 4096 * 128 * 2;
  CHECK(work.tiles == 64 * 32 * 32);
  CHECK(all.products == step.products * work.tiles);
  CHECK(all.exp == step.exp * work.tiles);
  CHECK(all.fma == step.fma * work.tiles);
  CHECK(all.alu == step.alu * work.tiles);
  CHECK(all.edge_read == step.edge_read * work.tiles + Bytes(q_and_o));
  CHECK(all.shared == step.shared * work.tiles + Bytes(q_and_o));
}

TEST_CASE("bounds are amounts over rates") {
  UnitAmounts amounts;
  amounts.products = Flops(Count{4096} * 132 * 1600);
  amounts.exp = Count{16} * 132 * 800;
  amounts.edge_read = Bytes(4'000'000);
  amounts.edge_write = Bytes(4'000'000);
  const TimeBounds bounds = time_bounds(amounts, Bytes(4'300'000), hopper(), MatrixPath::wgmma);
  CHECK(bounds.at(Resource::tensor) == Approx(1e-6));
  CHECK(bounds.at(Resource::exp) == Approx(0.5e-6));
  CHECK(bounds.at(Resource::l2) == Approx(1e-6));
  CHECK(bounds.at(Resource::hbm) == Approx(1e-6));
  CHECK(bounds.serial() == Approx(3.5e-6));
  const TimeBounds scalar = time_bounds(amounts, Bytes(0), hopper(), MatrixPath::scalar);
  CHECK(scalar.at(Resource::tensor) == 0);
  CHECK(scalar.binding() == Resource::fma);
}

TEST_CASE("an estimate lies between its bounds, for every algorithm") {
  Execution execution = wgmma();
  for (const Formula& formula : formulas()) {
    Case point = attention(512, 64, 64, 64);
    point.tiling.block_m = point.tiling.block_n = 64;
    point.shapes = {.m = 512,
                    .n = 512,
                    .k = 512,
                    .tokens = 64,
                    .d_in = 256,
                    .d_out = 256,
                    .rows = 128,
                    .cols = 512,
                    .length = 100'000};
    const TimeEstimate estimate = estimate_of(formula.name, point, execution, hopper());
    INFO(formula.name);
    CHECK(estimate.seconds >= estimate.low);
    CHECK(estimate.seconds <= estimate.high);
    CHECK(estimate.floor >= hopper().launch);
    CHECK_FALSE(estimate.launches.empty());
  }
}

TEST_CASE("E20: without work the time is the floor, once") {
  const std::vector<KernelWork> nothing = {{.launch = {.kernel = "nothing"}, .amounts = {}}};
  const TimeEstimate estimate = time_estimate("gemm", {}, {}, hopper(), nothing);
  CHECK(estimate.seconds == hopper().launch);
  CHECK(estimate.low == hopper().launch);
  CHECK(estimate.high == hopper().launch);
}

TEST_CASE("F3: a short kernel is launch-bound") {
  Case point = attention(64, 64, 64, 64);
  point.problem.batch = point.problem.heads = point.problem.kv_heads = 1;
  const TimeEstimate estimate = estimate_of("flash2", point, {}, hopper());
  CHECK(estimate.seconds < 5e-6);
  CHECK(estimate.kind == TimeKind::launch_bound);
  REQUIRE_FALSE(estimate.notes.empty());
  CHECK_THAT(estimate.notes.back(), contains("launch-bound"));
}

TEST_CASE("E18: idle SMs make the estimate a lower bound") {
  Case point = attention(4096, 128, 128, 128);
  point.problem.batch = 1;
  point.problem.seq_q = 1;
  point.problem.seq_k = 65536;
  const TimeEstimate estimate = estimate_of("flash2", point, {}, hopper());
  CHECK(estimate.kind == TimeKind::lower_bound);
  CHECK_THAT(estimate.notes.front(), contains("16 blocks on 132 SMs"));
  CHECK(estimate.seconds > 2 * estimate.low);
}

TEST_CASE("serial overlap takes longer than pipelined, and a causal mask about half") {
  const Case point = attention(4096, 128, 128, 128);
  Execution serial = wgmma();
  serial.overlap = Overlap::serial;
  const double pipelined = estimate_of("flash2", point, wgmma(), hopper()).seconds;
  CHECK(estimate_of("flash2", point, serial, hopper()).seconds > pipelined);
  CHECK(estimate_of("flash3", point, wgmma(), hopper()).seconds < pipelined);
  Case causal = point;
  causal.problem.mask.kind = MaskKind::causal;
  const double half = estimate_of("flash2", causal, wgmma(), hopper()).seconds;
  CHECK(half > 0.5 * pipelined);
  CHECK(half < 0.7 * pipelined);
}

TEST_CASE("H11: an H20 is bound by arithmetic, at 0.464 ms") {
  Case point = attention(2048, 128, 128, 128, DType::fp16);
  point.problem.batch = 2;
  const Work work = closed_form("flash2", point);
  const TimeBound bound =
      time_bound(roofline_of(load_device("h20"), DType::fp16),
                 {.flops = work.matmul_flops, .hbm = compulsory("flash2", point).total().total_bytes()});
  CHECK(bound.seconds->value == Approx(0.464e-3).epsilon(0.001));
  CHECK(bound.binding == Binding::arithmetic);
}

TEST_CASE("I5, I3: peaks follow the clock") {
  CHECK(peak_at(load_device("a100-80gb"), DType::fp16, Hertz{1.41e9})->value == Approx(311.9e12).epsilon(0.0005));
  const Device device = load_device("rtx4090");
  const double locked = peak_at(device, DType::fp16, Hertz{1.2e9})->value;
  CHECK(peak_at(device, DType::fp16, Hertz{2.062e9})->value / locked == Approx(1.718).epsilon(0.001));
}
