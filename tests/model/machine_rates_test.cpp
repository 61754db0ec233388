// Where the rates of the time model come from: probes, data sheets, defaults.
#include "model/machine_rates.hpp"

#include <cmath>

#include "tests/support/catch.hpp"
#include "tests/support/source_dir.hpp"

using namespace tilemeter;

namespace {

Execution by(MatrixPath path) {
  Execution execution;
  execution.matrix = path;
  return execution;
}

std::string source_of(const MachineRates& rates, const std::string& name) {
  for (const RateSource& source : rates.sources) {
    if (source.name == name) return source.from;
  }
  return "";
}

Device measured() { return load_device(std::string(TILEMETER_SOURCE_DIR) + "/traces/measured/h200/rates.toml"); }

}  // namespace

TEST_CASE("peak at a clock is SMs x FLOP/clk x clock", "[I5]") {
  Execution execution = by(MatrixPath::mma);
  execution.clock = Hertz{1410e6};
  const MachineRates rates = machine_rates(load_device("a100-80gb"), execution, DType::fp16);
  CHECK(rates.sms == 108);
  CHECK(std::abs(rates.tensor / 2048 - 1) < 1e-3);
  CHECK(std::abs(static_cast<double>(rates.sms) * rates.tensor * rates.clock_hz / 311.9e12 - 1) < 1e-3);
  execution.clock = Hertz{705e6};
  const MachineRates half = machine_rates(load_device("a100-80gb"), execution, DType::fp16);
  CHECK(half.tensor == rates.tensor);
  CHECK(half.clock_hz == 705e6);
  CHECK(source_of(half, "clock") == "given");
}

TEST_CASE("probes come before data sheets") {
  const Device device = measured();
  const auto probed = [&](const std::string& key) { return device.probes.at("probe." + key).value; };
  const MachineRates wgmma = machine_rates(device, by(MatrixPath::wgmma), DType::bf16);
  CHECK(wgmma.tensor == probed("wgmma.bf16.n256.ss"));
  CHECK(wgmma.clock_hz == probed("clock.wgmma"));
  CHECK(source_of(wgmma, "clock") == "probe.clock.wgmma");
  CHECK(wgmma.hbm == probed("hbm.read"));
  CHECK(wgmma.shared == probed("shared.read"));
  CHECK(wgmma.hbm_latency == probed("hbm.latency"));
  CHECK(std::abs(wgmma.l2 / (probed("l2.read_per_clock") * 132 * wgmma.clock_hz) - 1) < 1e-12);
  CHECK(wgmma.stalls_tensor.fma == probed("overlap.wgmma_beside_fma") - 1);
  CHECK(wgmma.stalls_tensor.exp == 0);
  CHECK(wgmma.tensor_stalls.exp == probed("overlap.exp_beside_wgmma") - 1);
  CHECK(wgmma.tensor_stalls.alu == probed("overlap.max_beside_wgmma") - 1);
  CHECK(wgmma.barrier == probed("barrier.hand_over"));
  const MachineRates mma = machine_rates(device, by(MatrixPath::mma), DType::fp16);
  CHECK(mma.tensor == probed("mma.fp16"));
  CHECK(mma.clock_hz == probed("clock.mma"));
  CHECK(mma.stalls_tensor.fma == probed("overlap.mma_beside_fma") - 1);
  CHECK(mma.barrier == probed("barrier.block.t128"));
  CHECK(mma.launch == probed("launch.graph"));
}

TEST_CASE("a data sheet gives what it has, and defaults say that they are") {
  const MachineRates rates = machine_rates(load_device("h200"), by(MatrixPath::wgmma), DType::bf16);
  CHECK(std::abs(rates.tensor / 4096 - 1) < 1e-3);
  CHECK(rates.clock_hz == 1.83e9);
  CHECK(source_of(rates, "clock") == "clock.tensor");
  CHECK(std::abs(rates.exp / 16 - 1) < 1e-3);
  CHECK(std::abs(rates.fma / 128 - 1) < 1e-3);
  CHECK(rates.alu == rates.fma / 2);
  CHECK(std::abs(rates.hbm / 3.84e12 - 1) < 1e-12);
  CHECK(rates.l2_capacity == Bytes(40 << 20));
  for (const std::string name : {"shared memory", "port of an SM", "L2", "L2 latency", "HBM latency", "L2 capacity",
                                 "launch", "barrier", "alu"}) {
    CAPTURE(name);
    CHECK(source_of(rates, name).substr(0, 9) == "default: ");
  }
}

TEST_CASE("mma.sync on Hopper has its share of the rate of wgmma") {
  const MachineRates rates = machine_rates(load_device("h200"), by(MatrixPath::mma), DType::fp16);
  CHECK(std::abs(rates.tensor / 2680 - 1) < 0.01);
  CHECK(rates.clock_hz == 1.98e9);
}

TEST_CASE("the scalar path multiplies and adds, in fp32 or fp64") {
  const MachineRates rates = machine_rates(load_device("h200"), by(MatrixPath::scalar), DType::fp16);
  CHECK(std::abs(rates.tensor / 256 - 1) < 1e-3);
  CHECK(rates.stalls_tensor.fma == 0);
  CHECK(machine_rates(load_device("h200"), by(MatrixPath::scalar), DType::fp64).tensor < rates.tensor);
}

TEST_CASE("a type without a rate is refused by its key") {
  CHECK_THROWS_WITH(machine_rates(load_device("a100-80gb"), by(MatrixPath::mma), DType::fp8), contains("rate.mma.fp8"));
}

TEST_CASE("L2s of one partition keep all they have") {
  const Device device = load_device("rtx4090");
  CHECK(machine_rates(device, by(MatrixPath::mma), DType::fp16).l2_capacity == device.l2.size);
}

TEST_CASE("kernels as they are where nothing is said") {
  Case point;
  point.problem.head_dim = point.problem.head_dim_v = 128;
  point.problem.seq_q = point.problem.seq_k = 4096;
  point.tiling.block_q = 128;
  point.tiling.block_k = 32;
  const Device h200 = load_device("h200");
  const Execution flash3 = default_execution("flash3", point, h200);
  CHECK(flash3.matrix == MatrixPath::wgmma);
  CHECK(flash3.threads == 384);
  CHECK(flash3.math_warps == 8);
  CHECK(flash3.scheduling == Scheduling::static_persistent);
  CHECK(flash3.rows == RowOrder::longest_first);
  const Execution flash2 = default_execution("flash2", point, h200);
  CHECK(flash2.matrix == MatrixPath::mma);
  CHECK(flash2.threads == 128);
  CHECK(flash2.scheduling == Scheduling::grid);
  point.tiling.block_k = 64;  // 128 x (128 + 64) accumulators are 192 of a thread, beside which 83 do not fit
  CHECK(default_execution("flash2", point, h200).threads == 256);
  point.tiling.block_k = 32;
  point.problem.mask.kind = MaskKind::causal;
  CHECK(default_execution("flash3", point, h200).scheduling == Scheduling::counter);
  point.problem.mask.kind = MaskKind::none;
  CHECK(default_execution("flash3", point, load_device("a100-80gb")).matrix == MatrixPath::mma);
  point.problem.dtype = DType::fp32;
  CHECK(default_execution("flash2", point, h200).matrix == MatrixPath::scalar);
  point.problem.dtype = DType::fp16;
  point.problem.head_dim = point.problem.head_dim_v = 256;
  CHECK(default_execution("flash2", point, h200).threads == 256);
}
