// What a search for the best tilings costs.
#include <benchmark/benchmark.h>

#include "model/hardware_candidates.hpp"
#include "model/traffic_front.hpp"

using namespace tilemeter;

namespace {

Case square_case(Count seq, MaskKind mask) {
  Case point;
  point.problem = {.seq_q = seq, .seq_k = seq, .head_dim = 64, .head_dim_v = 64, .mask = {.kind = mask}};
  return point;
}

Budget element_budget(Count elements) {
  Budget budget;
  budget.elements = Elements(elements);
  return budget;
}

/// N, and M in thousands of elements.
void best_five(benchmark::State& state, std::string_view algorithm, MaskKind mask) {
  const Case point = square_case(state.range(0), mask);
  const Budget budget = element_budget(1000 * state.range(1));
  Count tried = 0;
  for (auto _ : state) tried = best_tilings(algorithm, point, budget, {1}, 5).tried;
  state.counters["tilings_billed"] = static_cast<double>(tried);
}

void front(benchmark::State& state, std::string_view algorithm, MaskKind mask) {
  const Case point = square_case(state.range(0), mask);
  std::size_t tilings = 0;
  for (auto _ : state) tilings = traffic_front(algorithm, point, element_budget(50'000), {1}).tilings.size();
  state.counters["tilings"] = static_cast<double>(tilings);
}

void candidates(benchmark::State& state) {
  const Case point = square_case(4096, MaskKind::causal);
  const Budget budget = element_budget(50'000);
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        hardware_candidates({.algorithm = "flash2", .point = point, .budget = budget, .stages = {1, 2, 3, 4}}).size());
  }
}

const std::vector<std::vector<std::int64_t>> sizes = {{4096, 65536}, {50, 1000}};

}  // namespace

BENCHMARK_CAPTURE(best_five, flash1, "flash1", MaskKind::none)->ArgsProduct(sizes)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(best_five, flash2, "flash2", MaskKind::none)->ArgsProduct(sizes)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(best_five, flash2_causal, "flash2", MaskKind::causal)
    ->ArgsProduct(sizes)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(best_five, standard_tiled, "standard_tiled", MaskKind::none)
    ->ArgsProduct(sizes)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(front, flash2, "flash2", MaskKind::none)->Arg(4096)->Arg(1 << 20)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(front, flash2_causal, "flash2", MaskKind::causal)->Arg(4096)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(front, standard_tiled, "standard_tiled", MaskKind::none)->Arg(4096)->Unit(benchmark::kMicrosecond);
BENCHMARK(candidates)->Unit(benchmark::kMicrosecond);

BENCHMARK_MAIN();
