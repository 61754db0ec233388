// The shipped devices against physics: what SMs, lanes, clocks and buses imply.
#include <map>
#include <set>

#include "model/device.hpp"
#include "model/quantity.hpp"
#include "tests/support/catch.hpp"

using namespace tilemeter;

namespace {

/// What a compute capability implies, from the CUDA programming guide and NVIDIA's white papers.
struct Architecture {
  Count shared_per_block, shared_per_sm, shared_reserved, threads, blocks;
  double tensor16, fma32, fma64;  ///< FLOP of one SM in one clock
};
const std::map<std::string, Architecture> architectures = {{"sm_70", {98304, 98304, 0, 2048, 32, 1024, 128, 64}},
                                                           {"sm_75", {65536, 65536, 0, 1024, 16, 1024, 128, 4}},
                                                           {"sm_80", {166912, 167936, 1024, 2048, 32, 2048, 128, 64}},
                                                           {"sm_86", {101376, 102400, 1024, 1536, 16, 512, 256, 4}},
                                                           {"sm_89", {101376, 102400, 1024, 1536, 24, 512, 256, 4}},
                                                           {"sm_90", {232448, 233472, 1024, 2048, 32, 4096, 256, 128}},
                                                           {"sm_100", {232448, 233472, 1024, 2048, 32, 8192, 256, 128}},
                                                           {"sm_120", {101376, 102400, 1024, 1536, 24, 512, 256, 4}}};

std::vector<Device> all_devices() {
  std::vector<Device> devices;
  for (const std::string_view name : device_names()) devices.push_back(load_device(name));
  return devices;
}

double rate(const Device& device, ComputeUnit unit, DType type) { return device.require_rate(unit, type).value; }
double tensor(std::string_view name, DType type) { return rate(load_device(name), ComputeUnit::tensor, type); }

}  // namespace

TEST_CASE("the catalog holds the promised devices under their own names") {
  const std::vector<std::string_view> promised = {"a100-40gb", "a100-80gb", "h100-sxm", "h100-pcie", "h100-nvl",
                                                  "h200",      "h20",       "b200",     "l40s",      "rtx5090",
                                                  "rtx4090",   "rtx3090",   "v100",     "t4"};
  CHECK(device_names() == promised);
  for (const std::string_view name : promised) {
    CAPTURE(name);
    CHECK(load_device(name).name == name);
  }
}

TEST_CASE("limits of an SM are those of the exact compute capability") {  // not of its order: 12.0 is smaller than 9.0
  for (const Device& device : all_devices()) {
    CAPTURE(device.name);
    const Architecture& arch = architectures.at(device.arch);
    CHECK(device.sm.shared_per_block == Bytes(arch.shared_per_block));
    CHECK(device.sm.shared_per_sm == Bytes(arch.shared_per_sm));
    CHECK(device.sm.shared_reserved == Bytes(arch.shared_reserved));
    CHECK(device.sm.shared_default == Bytes(49152));
    CHECK(device.sm.threads == arch.threads);
    CHECK(device.sm.blocks == arch.blocks);
    CHECK(device.sm.registers == 65536);
    CHECK(device.register_file() == Bytes(262144));
  }
}

TEST_CASE("dense tensor peaks are SMs x FLOP per clock x clock") {
  for (const Device& device : all_devices()) {
    if (device.name == "h20") continue;  // capped by rule, not by its SMs
    CAPTURE(device.name);
    double flops = architectures.at(device.arch).tensor16;
    if (device.name == "l40s") flops *= 2;  // GeForce halves the rate of fp32 accumulation, the L40S does not
    CHECK(device.per_sm_clock(ComputeUnit::tensor, DType::fp16).value() == Approx(flops).epsilon(0.015));
    for (const DType same : {DType::bf16, DType::fp8}) {
      const auto other = device.rate(ComputeUnit::tensor, same);
      const double factor = same == DType::fp8 ? 2 : 1;
      if (other) CHECK(other->value == Approx(factor * rate(device, ComputeUnit::tensor, DType::fp16)).epsilon(0.015));
    }
  }
}

TEST_CASE("scalar and exponential peaks are SMs x lanes x boost clock") {
  for (const Device& device : all_devices()) {
    CAPTURE(device.name);
    const Architecture& arch = architectures.at(device.arch);
    CHECK(device.per_sm_clock(ComputeUnit::fma, DType::fp32).value() == Approx(arch.fma32).epsilon(0.015));
    CHECK(device.per_sm_clock(ComputeUnit::exp, DType::fp32).value() == Approx(16).epsilon(0.001));
    if (device.name == "h20") continue;
    CHECK(device.per_sm_clock(ComputeUnit::fma, DType::fp64).value() == Approx(arch.fma64).epsilon(0.015));
  }
}

TEST_CASE("the H20 is capped below what its SMs could do") {
  const Device h20 = load_device("h20");
  CHECK(h20.per_sm_clock(ComputeUnit::tensor, DType::fp16).value() < 4096 / 2);
  CHECK(rate(h20, ComputeUnit::tensor, DType::bf16) / h20.hbm.bandwidth.value == Approx(37));
  const double seconds = 4.0 * 2 * 16 * 2048.0 * 2048 * 128 / rate(h20, ComputeUnit::tensor, DType::fp16);
  CHECK(seconds == Approx(0.464e-3).epsilon(0.002));
}

TEST_CASE("no rate is a figure with 2:4 sparsity") {
  CHECK(tensor("h100-sxm", DType::bf16) == 989.4e12);
  CHECK(tensor("h200", DType::bf16) == 989.4e12);
  CHECK(tensor("h100-pcie", DType::bf16) == 756.5e12);
  CHECK(tensor("h100-nvl", DType::bf16) == 835.5e12);
  CHECK(480e12 / tensor("h100-sxm", DType::bf16) == Approx(0.485).epsilon(0.001));
  CHECK(tensor("a100-80gb", DType::bf16) == 312e12);
  CHECK(tensor("b200", DType::bf16) == 2.25e15);
  CHECK(tensor("l40s", DType::bf16) < 400e12);
  CHECK(tensor("rtx4090", DType::bf16) == 165.2e12);
  CHECK(tensor("rtx5090", DType::bf16) == 209.5e12);
  CHECK(tensor("rtx3090", DType::bf16) == 71e12);
}

TEST_CASE("bandwidths are those of the product, not of the chip") {
  const auto bandwidth = [](std::string_view name) { return load_device(name).hbm.bandwidth.value; };
  CHECK(bandwidth("h100-sxm") == 3.35e12);
  CHECK(bandwidth("h100-pcie") == 2.0e12);
  CHECK(bandwidth("h100-nvl") == 3.9e12);
  CHECK(bandwidth("h200") == 4.8e12);
  CHECK(bandwidth("h20") == 4e12);
  CHECK(bandwidth("b200") == Approx(7680 * 3996e6 * 2 / 8).epsilon(0.001));
  CHECK(bandwidth("a100-40gb") == 1555e9);
  CHECK(bandwidth("a100-80gb") == 2039e9);
  CHECK(bandwidth("rtx4090") == Approx(384 * 21e9 / 8));
  CHECK(bandwidth("rtx5090") == Approx(512 * 28e9 / 8));
  CHECK(bandwidth("rtx3090") == Approx(384 * 19.5e9 / 8));
  CHECK(bandwidth("l40s") == Approx(384 * 18e9 / 8));
  CHECK(bandwidth("t4") == Approx(256 * 10e9 / 8));
  CHECK(bandwidth("v100") == 900e9);
}

TEST_CASE("ridges follow from the product's own bandwidth") {
  const Device h200 = load_device("h200");
  CHECK(rate(h200, ComputeUnit::tensor, DType::bf16) / h200.hbm.bandwidth.value == Approx(206.0).epsilon(0.001));
  const Device h100 = load_device("h100-sxm");
  CHECK(rate(h100, ComputeUnit::tensor, DType::bf16) / h100.hbm.bandwidth.value == Approx(295.3).epsilon(0.001));
}

TEST_CASE("known peaks are reproduced from SMs and clocks") {
  const Device a100 = load_device("a100-80gb");
  CHECK(static_cast<double>(a100.sm.count) * 2048 * a100.clock.boost.value == Approx(311.9e12).epsilon(0.0005));
  const Device h100 = load_device("h100-sxm");
  CHECK(h100.rate_clock(ComputeUnit::tensor, DType::bf16).value == 1.83e9);
  CHECK(h100.rate_clock(ComputeUnit::tensor, DType::fp64).value == 1.98e9);
  CHECK(h100.rate_clock(ComputeUnit::exp, DType::fp32).value == 1.98e9);
  CHECK(a100.rate_clock(ComputeUnit::tensor, DType::fp16).value == 1.41e9);
}

TEST_CASE("memory and cache sizes") {
  CHECK(load_device("h100-sxm").hbm.size == Bytes(80'000'000'000));
  CHECK(load_device("h200").l2.size == Bytes(62914560));
  CHECK(load_device("b200").l2.size == Bytes(132644864));
  CHECK(load_device("rtx4090").l2.size == Bytes(72 << 20));
  CHECK(load_device("a100-40gb").l2.bandwidth.value().value == Approx(5120 * 1.41e9).epsilon(0.001));
  CHECK_FALSE(load_device("h200").l2.bandwidth.has_value());
}

TEST_CASE("every fact has a source that names a document or a measurement, without addresses") {
  for (const Device& device : all_devices()) {
    CAPTURE(device.name);
    std::set<std::string> keys;
    for (const DeviceFact& fact : device.facts) {
      CAPTURE(fact.key);
      CHECK(keys.insert(fact.key).second);
      CHECK(fact.source.size() >= 20);
      CHECK(fact.source.find("http") == std::string::npos);
    }
  }
}
