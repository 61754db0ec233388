#include "kernels/probe_functions.hpp"
#include "kernels/probe_memory.cuh"

namespace tilemeter::kernels {
namespace {

constexpr int threads = 512;
constexpr int loads = 8;  ///< of a step
constexpr int vectors = threads * loads;
constexpr int iterations = 400;

/// Threads of a warp read neighbouring vectors: no bank is asked for two rows.
struct SharedReads {
  static constexpr int most_threads = threads;
  unsigned* results = nullptr;
  unsigned base = 0;
  unsigned sum = 0;

  __device__ void prepare(int rank, int count) {
    extern __shared__ uint4 memory[];
    base = static_cast<unsigned>(__cvta_generic_to_shared(memory)) + rank * sizeof(uint4);
    for (int i = rank; i < vectors; i += count) {
      memory[i] = make_uint4(word_at(4 * i), word_at(4 * i + 1), word_at(4 * i + 2), word_at(4 * i + 3));
    }
  }
  __device__ void step(int) {
    uint4 v[loads];
#pragma unroll
    for (int j = 0; j < loads; ++j) {
      const unsigned address = base + j * threads * static_cast<unsigned>(sizeof(uint4));
      asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(v[j].x), "=r"(v[j].y), "=r"(v[j].z), "=r"(v[j].w)
                   : "r"(address));
    }
#pragma unroll
    for (const uint4& value : v) sum += sum_of(value);
  }
  __device__ void drain() {}
  __device__ void finish(int rank, int block) { results[block * threads + rank] = sum; }
};

unsigned expected_of(int rank) {
  unsigned sum = 0;
  for (int j = 0; j < loads; ++j) sum += sum_of_words(4ull * (rank + j * threads), 4);
  return iterations * sum;
}

}  // namespace

std::vector<Figure> probe_shared(const ProbeSettings& settings) {
  Buffer<unsigned> results(static_cast<std::size_t>(settings.gpu.sm_count) * threads);
  SharedReads work;
  work.results = results.data();
  const CycleLaunch launch{.blocks = settings.gpu.sm_count,
                           .threads = threads,
                           .shared = vectors * static_cast<int>(sizeof(uint4)),
                           .iterations = iterations};
  const CycleSamples samples = measure_cycles(work, launch, settings.repetitions);
  const std::vector<unsigned> sums = results.to_host();
  for (std::size_t i = 0; i < sums.size(); ++i) {
    require_sum(sums[i], expected_of(static_cast<int>(i % threads)), "probe.shared.read");
  }
  const double bytes = 1.0 * iterations * vectors * sizeof(uint4);
  return {figure_of("probe.shared.read", per_clock(bytes, samples), clock_of(samples))};
}

}  // namespace tilemeter::kernels
