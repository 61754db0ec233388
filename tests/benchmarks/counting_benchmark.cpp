// What counting costs: it grows with the number of distinct tiles, not with N^2.
#include <benchmark/benchmark.h>

#include "model/closed_form/catalog.hpp"
#include "sim/catalog.hpp"
#include "sim/run.hpp"

using namespace tilemeter;

namespace {

Case causal_case(Count seq) {
  Case point;
  point.problem = {.heads = 64,
                   .kv_heads = 64,
                   .seq_q = seq,
                   .seq_k = seq,
                   .head_dim = 128,
                   .head_dim_v = 128,
                   .mask = {.kind = MaskKind::causal}};
  return point;
}

void count_causal(benchmark::State& state, std::string_view algorithm, Folding folding) {
  const Case point = causal_case(state.range(0));
  const Algorithm& program = find_algorithm(algorithm);
  Count tiles = 0;
  for (auto _ : state) tiles = count(program, point, Budget{}, folding).work.tiles;
  state.counters["visited_tiles"] = static_cast<double>(tiles);
}

void count_folded(benchmark::State& state, std::string_view algorithm) {
  count_causal(state, algorithm, Folding::folded);
}
void count_unfolded(benchmark::State& state, std::string_view algorithm) {
  count_causal(state, algorithm, Folding::unfolded);
}

/// Block sizes without a common factor, so that no two row blocks within Bc of each other are alike.
void count_coprime_tiles(benchmark::State& state) {
  Case point = causal_case(1 << 20);
  point.tiling.block_q = 128;
  point.tiling.block_k = state.range(0);
  for (auto _ : state) benchmark::DoNotOptimize(count(find_algorithm("flash2"), point, Budget{}).work.tiles);
}

void closed_form_causal(benchmark::State& state) {
  const Case point = causal_case(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(closed_form("flash2", point).tiles);
}

void numeric_flash2(benchmark::State& state) {
  Case point;
  point.problem = {.seq_q = state.range(0), .seq_k = state.range(0), .dtype = DType::fp32, .score_dtype = DType::fp32};
  for (auto _ : state) {
    if (!run_numeric(find_algorithm("flash2"), point, Budget{}, 1).check.ok) state.SkipWithError("wrong numbers");
  }
}

}  // namespace

BENCHMARK_CAPTURE(count_folded, flash2, "flash2")
    ->RangeMultiplier(16)
    ->Range(1 << 12, 1 << 24)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(count_folded, flash1, "flash1")
    ->RangeMultiplier(16)
    ->Range(1 << 12, 1 << 24)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(count_unfolded, flash2, "flash2")
    ->RangeMultiplier(2)
    ->Range(1 << 10, 1 << 14)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(count_coprime_tiles)->Arg(127)->Arg(509)->Arg(2039)->Unit(benchmark::kMicrosecond);
BENCHMARK(closed_form_causal)->Arg(1 << 20)->Unit(benchmark::kMicrosecond);
BENCHMARK(numeric_flash2)->RangeMultiplier(2)->Range(1 << 10, 1 << 12)->Unit(benchmark::kMillisecond);

BENCHMARK_MAIN();
