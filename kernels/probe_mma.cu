#include "kernels/probe_functions.hpp"
#include "kernels/probe_mma.cuh"

namespace tilemeter::kernels {
namespace {

constexpr int chains = 4;
constexpr int iterations = 200;

/// Every warp of every block must have the product.
template <class Chains>
void require_products(const Buffer<float>& results, const std::string& what) {
  const std::vector<float> found = results.to_host();
  const std::vector<double> expected = Chains::expected(iterations);
  for (std::size_t at = 0; at < found.size(); at += expected.size()) {
    require_product(std::span(found).subspan(at, expected.size()), expected, what);
  }
}

template <class Chains>
CycleSamples measured(int threads, const ProbeSettings& settings, const std::string& what) {
  const Count products = settings.gpu.sm_count * Chains::products_of(threads);
  Buffer<float> results(static_cast<std::size_t>(products) * Chains::m * Chains::n);
  results.poison();
  Chains work;
  work.results = results.data();
  const CycleLaunch launch{.blocks = settings.gpu.sm_count, .threads = threads, .iterations = iterations};
  CycleSamples samples = measure_cycles(work, launch, settings.repetitions);
  require_products<Chains>(results, what);
  return samples;
}

/// The best of several numbers of warps.
template <class T>
Figure rate(const std::string& key, const ProbeSettings& settings) {
  using Chains = MmaChains<T, chains>;
  Figure best;
  for (const int threads : {128, 256, 512}) {
    const CycleSamples samples = measured<Chains>(threads, settings, key);
    Figure figure = figure_of(key, per_clock(Chains::flops(threads, iterations), samples), clock_of(samples));
    figure.note = std::to_string(threads / 32) + " warps";
    if (figure.value > best.value) best = figure;
  }
  return best;
}

Figure latency(const ProbeSettings& settings) {
  using Chain = MmaChains<__nv_bfloat16, 1>;
  CycleSamples samples = measured<Chain>(32, settings, "probe.mma.latency");
  for (double& clocks : samples.clocks) clocks /= Chain::repeats * iterations;
  return figure_of("probe.mma.latency", samples.clocks, clock_of(samples));
}

}  // namespace

std::vector<Figure> probe_mma(const ProbeSettings& settings) {
  return {rate<__half>("probe.mma.fp16", settings), rate<__nv_bfloat16>("probe.mma.bf16", settings), latency(settings)};
}

}  // namespace tilemeter::kernels
