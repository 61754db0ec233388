#include "model/machine_rates.hpp"

#include <cmath>
#include <optional>

#include "model/probe_keys.hpp"
#include "model/roofline.hpp"

namespace tilemeter {
namespace {

// What no document or probe of a device states.
constexpr double default_shared = 128;        ///< B/clk/SM: 32 banks of 4 B
constexpr double default_port = 64;           ///< B/clk/SM: half of what an SM's L1 serves its threads
constexpr double default_l2 = 37;             ///< B/clk/SM when all SMs read: gpu-benches, file of an H200
constexpr double default_l2_latency = 265;    ///< clk: gpu-benches, H100 PCIe, near partition
constexpr double default_hbm_latency = 650;   ///< clk: gpu-benches, H100 PCIe
constexpr double default_launch = 1.3e-6;     ///< s: period of the nodes of a graph on an H100
constexpr double default_block_start = 3e-9;  ///< s: ramps of 0.95 us to 32 blocks, 1.24 us to 128, on an H100
constexpr double default_exp = 16;            ///< op/clk/SM: CUDA C++ Programming Guide 12.9, 8.0 to 12.0
constexpr double default_sustained = 0.8;     ///< of HBM's peak: inference-sim, issue 415
constexpr double hopper_mma_share = 0.65;     ///< of the wgmma rate: 2680 FLOP/clk/SM in unit tests of flash-vla, H100
/// Of an L2 of two partitions, which keeps lines of the far one twice: with 40 of an H200's 60 MiB the engine is
/// nearest to the profiled DRAM reads (34, 40, 44 MiB: on average 3.3, 2.0, 1.9 % off, 7, 5, 5 of 74 by more than 10
/// %).
constexpr double two_partitions_share = 40.0 / 60.0;
// A barrier of t threads takes 13.3 + t / 16 clocks on an H200, at 128, 256, 512 and 1024 threads.
constexpr double barrier_base = 13.3;
constexpr double barrier_per_thread = 1.0 / 16;

constexpr Count ampere = 80;
constexpr Count hopper = 90;

/// Looks rates up and remembers where they came from.
class Finder {
 public:
  Finder(const Device& device, const Execution& execution, DType dtype)
      : device_(device), execution_(execution), dtype_(dtype) {}

  MachineRates find() {
    rates_.sms = device_.sm.count;
    rates_.clock_hz = clock();
    rates_.tensor = tensor();
    rates_.exp = scalar_rate("exponentials", "exp.fp32", ComputeUnit::exp, 1, default_exp);
    rates_.fma = scalar_rate("fma", "fma.fp32", ComputeUnit::fma, 2, 0);
    rates_.alu = alu();
    memory();
    overheads();
    interference();
    fit();
    return std::move(rates_);
  }

 private:
  double take(const std::string& name, double value, const std::string& unit, const std::string& from) {
    rates_.sources.push_back({name, value, unit, from});
    return value;
  }
  std::optional<double> figure(const std::string& key) const {
    const auto found = device_.probes.find("probe." + key);
    return found == device_.probes.end() ? std::nullopt : std::optional(found->second.value);
  }
  /// The probe's figure, or the default with its reason.
  double probed(const std::string& name, const std::string& key, const std::string& unit, double otherwise,
                const std::string& reason) {
    if (const auto value = figure(key)) return take(name, *value, unit, "probe." + key);
    return take(name, otherwise, unit, "default: " + reason);
  }

  std::string path() const {
    return execution_.matrix == MatrixPath::scalar ? "fma" : std::string(name_of(execution_.matrix));
  }

  double clock() {
    if (execution_.clock) return take("clock", execution_.clock->value, "Hz", "given");
    if (const auto value = figure("clock." + path())) return take("clock", *value, "Hz", "probe.clock." + path());
    if (execution_.matrix == MatrixPath::wgmma && device_.clock.tensor)
      return take("clock", device_.clock.tensor->value, "Hz", "clock.tensor");
    return take("clock", device_.clock.boost.value, "Hz", "clock.boost");
  }

  double tensor() {
    const std::string unit = "FLOP/clk/SM";
    const std::string type(name_of(dtype_));
    if (execution_.matrix == MatrixPath::scalar) return scalar_products();
    const std::string key = execution_.matrix == MatrixPath::mma ? "mma." + type : "wgmma." + type + ".n256.ss";
    if (const auto value = figure(key)) return take("matrix products", *value, unit, "probe." + key);
    const ComputeUnit pipe = execution_.matrix == MatrixPath::mma ? ComputeUnit::mma : ComputeUnit::tensor;
    device_.require_rate(pipe, dtype_);
    const double rate = *device_.per_sm_clock(pipe, dtype_);
    const bool own = device_.rates.count({pipe, dtype_}) > 0;
    if (own) return take("matrix products", rate, unit, rate_key(pipe, dtype_));
    if (device_.capability() == hopper && dtype_ != DType::fp64) {
      return take("matrix products", hopper_mma_share * rate, unit,
                  "default: 65 % of " + rate_key(ComputeUnit::tensor, dtype_) + " for mma.sync on sm_90");
    }
    return take("matrix products", rate, unit, rate_key(ComputeUnit::tensor, dtype_));
  }

  /// 16- and 8-bit operands are widened to fp32.
  double scalar_products() {
    const DType type = dtype_ == DType::fp64 ? DType::fp64 : DType::fp32;
    device_.require_rate(ComputeUnit::fma, type);
    return take("matrix products", *device_.per_sm_clock(ComputeUnit::fma, type), "FLOP/clk/SM",
                rate_key(ComputeUnit::fma, type));
  }

  double scalar_rate(const std::string& name, const std::string& key, ComputeUnit unit, double per_operation,
                     double otherwise) {
    if (const auto value = figure(key)) return take(name, *value, "op/clk/SM", "probe." + key);
    if (otherwise == 0) device_.require_rate(unit, DType::fp32);
    const auto rate = device_.per_sm_clock(unit, DType::fp32);
    if (rate) return take(name, *rate / per_operation, "op/clk/SM", rate_key(unit, DType::fp32));
    return take(name, otherwise, "op/clk/SM", "default: 16 on compute capability 8.0 to 12.0");
  }

  double alu() { return probed("alu", "max.fp32", "op/clk/SM", rates_.fma / 2, "half of the fma rate"); }

  void memory() {
    rates_.shared = probed("shared memory", "shared.read", "B/clk/SM", default_shared, "32 banks of 4 B");
    rates_.port = take("port of an SM", default_port, "B/clk/SM", "default: 64 B/clk between an SM and the L2");
    rates_.l2 = l2();
    rates_.hbm = hbm();
    rates_.l2_latency =
        probed("L2 latency", "l2.latency", "clk", default_l2_latency, "gpu-benches, H100, near partition");
    rates_.hbm_latency = probed("HBM latency", "hbm.latency", "clk", default_hbm_latency, "gpu-benches, H100");
    rates_.l2_capacity = Bytes(static_cast<Count>(l2_capacity()));
  }

  /// The L2 follows the clock of the SMs: its bandwidth is kept in bytes a clock.
  double l2() {
    const double clocks = static_cast<double>(device_.sm.count) * rates_.clock_hz;
    if (const auto value = figure("l2.read_per_clock"))
      return take("L2", *value * clocks, "B/s", "probe.l2.read_per_clock at the clock");
    if (device_.l2.bandwidth) return take("L2", device_.l2.bandwidth->value, "B/s", "l2.bandwidth");
    return take("L2", default_l2 * clocks, "B/s",
                "default: 37 B/clk/SM when all SMs read (gpu-benches, H200) at the clock");
  }

  double hbm() {
    if (const auto value = figure("hbm.read")) return take("HBM", *value, "B/s", "probe.hbm.read");
    const double peak = device_.hbm.bandwidth.value;
    if (const auto share = sustained_share(device_))
      return take("HBM", peak * *share, "B/s", "hbm.bandwidth x hbm.sustained");
    return take("HBM", peak * default_sustained, "B/s", "default: 80 % of hbm.bandwidth (inference-sim, issue 415)");
  }

  double l2_capacity() {
    const double size = static_cast<double>(device_.l2.size.value());
    const Count capability = device_.capability();
    if (capability != ampere && capability != hopper) return take("L2 capacity", size, "B", "l2.size");
    return take("L2 capacity", std::floor(size * two_partitions_share), "B",
                "default: 2/3 of l2.size, two partitions that keep far lines twice");
  }

  void overheads() {
    rates_.launch =
        probed("launch", "launch.graph", "s", default_launch, "period of the nodes of a graph, H100 (flash-vla)");
    rates_.block_start = take("block start", default_block_start, "s",
                              "default: ramps to 32 and 128 blocks differ by 0.29 us, H100 (flash-vla)");
    const auto threads = static_cast<double>(execution_.threads);
    const std::string fitted = "13.3 + threads / 16, as measured on an H200";
    if (execution_.matrix == MatrixPath::wgmma) {
      rates_.barrier =
          probed("barrier", "barrier.hand_over", "clk", barrier_base + barrier_per_thread * threads, fitted);
      return;
    }
    const std::string key = "barrier.block.t" + std::to_string(execution_.threads);
    rates_.barrier = probed("barrier", key, "clk", barrier_base + barrier_per_thread * threads, fitted);
  }

  /// Beside work of the other kind that alone takes as long, work takes `figure` times as long.
  double lost(const std::string& who, const std::string& beside, double otherwise, const std::string& reason) {
    const std::string key = "overlap." + who + "_beside_" + beside;
    return std::max(0.0, probed(who + " beside " + beside, key, "x", otherwise, reason) - 1);
  }

  void interference() {
    if (execution_.matrix == MatrixPath::scalar) return;
    const std::string none = "no interference is documented";
    rates_.stalls_tensor.exp = lost(path(), "exp", 1, none);
    rates_.stalls_tensor.fma = lost(path(), "fma", 1, none);
    rates_.stalls_tensor.alu = lost(path(), "max", 1, none);
    rates_.tensor_stalls.exp = lost("exp", path(), 1, none);
    rates_.tensor_stalls.fma = lost("fma", path(), 1, none);
    rates_.tensor_stalls.alu = lost("max", path(), 1, none);
  }

  void fit() {
    const auto found = device_.fits.find(execution_.kernel);
    if (found == device_.fits.end()) return;
    rates_.fit = found->second;
    for (const EfficiencyFigure& figure : efficiency_figures()) {
      take(std::string(figure.name), found->second.*figure.member, std::string(name_of(figure.unit)),
           fit_key(execution_.kernel, figure.name));
    }
  }

  const Device& device_;
  const Execution& execution_;
  DType dtype_;
  MachineRates rates_;
};

}  // namespace

MachineRates machine_rates(const Device& device, const Execution& execution, DType dtype) {
  return Finder(device, execution, dtype).find();
}

}  // namespace tilemeter
