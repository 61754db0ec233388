// How the traffic of FlashAttention-1 falls with the memory on chip, and the time that it takes with it on a GPU:
// counted by the simulator, held against the closed form, and timed by the engine. Usage: traffic [DEVICE] [SEQ], by
// default h200 2048.
#include <charconv>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>

#include <tilemeter/model/closed_form/catalog.hpp>
#include <tilemeter/model/device.hpp>
#include <tilemeter/model/execution.hpp>
#include <tilemeter/model/machine_rates.hpp>
#include <tilemeter/model/problem.hpp>
#include <tilemeter/sim/catalog.hpp>
#include <tilemeter/sim/run.hpp>
#include <tilemeter/sim/time/engine.hpp>
#include <tilemeter/sim/time/recorder.hpp>

namespace {

using namespace tilemeter;

constexpr std::string_view algorithm_name = "flash1";

Count length_of(std::string_view text) {
  Count length = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), length);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw InputError("SEQ " + std::string(text) + ": expected a whole number");
  }
  require_at_least(length, 1, "SEQ");
  return length;
}

/// 16 heads of one sequence, in tiles of 64 queries by `block_k` keys.
Case point_of(Count seq, Count block_k) {
  return {.problem = {.heads = 16, .kv_heads = 16, .seq_q = seq, .seq_k = seq, .head_dim = 64, .head_dim_v = 64},
          .tiling = {.block_q = 64, .block_k = block_k},
          .options = {}};
}

/// Seconds on `device`, by the discrete-event engine, of the kernel that the algorithm is taken to have there.
double seconds_on(const Device& device, const Algorithm& algorithm, const Case& point, const Budget& budget) {
  const Execution execution = default_execution(algorithm.name, point, device);
  const MachineRates rates = machine_rates(device, execution, point.problem.dtype);
  const Simulated run = simulate(record(algorithm, point, budget), execution, device, rates, {});
  return static_cast<double>(run.time) * 1e-12;  // from picoseconds
}

void print_row(const Device& device, const Case& point) {
  const Algorithm& algorithm = find_algorithm(algorithm_name);
  const Budget budget;  // without limits: this program compares tilings, whatever they need
  const Counted counted = count(algorithm, point, budget);
  const Work bill = closed_form(algorithm.name, point);
  if (!(counted.work == bill)) throw std::logic_error("the count differs from its closed form");
  const Footprint& peak = counted.memory.peak;
  std::printf("%7lld %11.1f KiB %12.1f MiB %11.1f us\n", static_cast<long long>(point.tiling.block_k),
              static_cast<double>(peak.bytes().value()) / 1024,
              static_cast<double>(counted.work.total().total_bytes().value()) / (1024 * 1024),
              seconds_on(device, algorithm, point, budget) * 1e6);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Device device = load_device(argc > 1 ? argv[1] : "h200");
    const Count seq = length_of(argc > 2 ? argv[2] : "2048");
    std::printf("%s on %s, N = %lld, d = 64, 16 heads, Br = 64: %s elements\n", algorithm_name.data(),
                device.name.c_str(), static_cast<long long>(seq),
                expression_of(algorithm_name, point_of(seq, 64)).c_str());
    std::printf("%7s %15s %16s %14s\n", "Bc", "on chip", "traffic", "time");
    for (const Count block_k : {32, 64, 128, 256}) print_row(device, point_of(seq, block_k));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "traffic: %s\n", error.what());
    return 2;
  }
}
