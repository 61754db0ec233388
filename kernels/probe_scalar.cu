#include "kernels/probe_functions.hpp"
#include "kernels/probe_scalar.cuh"

namespace tilemeter::kernels {
namespace {

constexpr int threads = 512;
constexpr int iterations = 125;

template <class Chains>
Figure rate(const char* key, const ProbeSettings& settings) {
  Buffer<float> distances(static_cast<std::size_t>(settings.gpu.sm_count) * threads);
  distances.poison();
  Chains chains;
  chains.results = distances.data();
  const CycleLaunch launch{.blocks = settings.gpu.sm_count, .threads = threads, .iterations = iterations};
  const CycleSamples samples = measure_cycles(chains, launch, settings.repetitions);
  require_ends(distances, key);
  return figure_of(key, per_clock(ScalarChains::operations(threads, iterations), samples), clock_of(samples));
}

}  // namespace

std::vector<Figure> probe_scalar(const ProbeSettings& settings) {
  return {rate<ExpChains>("probe.exp.fp32", settings), rate<FmaChains>("probe.fma.fp32", settings),
          rate<MaxChains>("probe.max.fp32", settings)};
}

}  // namespace tilemeter::kernels
