// What simulating time costs: events a second, and a launch of 8192 blocks of 128 key tiles with waves folded and not.
#include <benchmark/benchmark.h>

#include "sim/catalog.hpp"
#include "sim/time/engine.hpp"
#include "sim/time/recorder.hpp"

using namespace tilemeter;

namespace {

/// B 4, H 16, N, d 128, bf16, tiles of 128 x 128, two stages.
Case forward_case(Count seq, MaskKind mask) {
  Case point;
  point.problem = {.batch = 4,
                   .heads = 16,
                   .kv_heads = 16,
                   .seq_q = seq,
                   .seq_k = seq,
                   .head_dim = 128,
                   .head_dim_v = 128,
                   .mask = {.kind = mask},
                   .dtype = DType::bf16};
  point.tiling.block_q = 128;
  point.tiling.block_k = 128;
  return point;
}

void simulate_forward(benchmark::State& state, std::string_view algorithm, Waves waves, MaskKind mask) {
  const Case point = forward_case(state.range(0), mask);
  const Device device = load_device("h200");
  const Execution execution = default_execution(algorithm, point, device);
  const MachineRates rates = machine_rates(device, execution, point.problem.dtype);
  Count events = 0;
  Simulated result;
  for (auto _ : state) {
    const Recording recording = record(find_algorithm(algorithm), point, Budget{});
    result = simulate(recording, execution, device, rates, {.waves = waves});
    events += result.events;
  }
  state.counters["events/s"] = benchmark::Counter(static_cast<double>(events), benchmark::Counter::kIsRate);
  state.counters["simulated_ms"] = static_cast<double>(result.time) * 1e-9;
  state.counters["dram_MB"] = static_cast<double>(result.levels.dram_read.value()) * 1e-6;
  state.counters["resident"] = static_cast<double>(result.launches[0].resident);
}

void forward_folded(benchmark::State& state, std::string_view algorithm) {
  simulate_forward(state, algorithm, Waves::folded, MaskKind::none);
}
void forward_all(benchmark::State& state, std::string_view algorithm) {
  simulate_forward(state, algorithm, Waves::all, MaskKind::none);
}
void causal_folded(benchmark::State& state, std::string_view algorithm) {
  simulate_forward(state, algorithm, Waves::folded, MaskKind::causal);
}
void causal_all(benchmark::State& state, std::string_view algorithm) {
  simulate_forward(state, algorithm, Waves::all, MaskKind::causal);
}

}  // namespace

BENCHMARK_CAPTURE(forward_folded, flash2, "flash2")->Arg(16384)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(forward_all, flash2, "flash2")->Arg(16384)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(forward_folded, flash3, "flash3")->Arg(16384)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(forward_all, flash3, "flash3")->Arg(16384)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(causal_folded, flash2, "flash2")->Arg(16384)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(causal_all, flash2, "flash2")->Arg(16384)->Unit(benchmark::kMillisecond);

BENCHMARK_MAIN();
