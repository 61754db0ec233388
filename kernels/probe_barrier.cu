#include "kernels/probe_cycles.cuh"
#include "kernels/probe_functions.hpp"

namespace tilemeter::kernels {
namespace {

constexpr int iterations = 500;
constexpr int repeats = 8;  ///< barriers of a step, of each kind
constexpr int hand_over_threads = 256;

/// All threads of the block meet. `Checked` also writes before and reads a neighbour's word after each meeting.
template <bool Checked>
struct BlockBarriers {
  static constexpr int most_threads = 1024;
  unsigned* results = nullptr;  ///< of every thread, how often the neighbour was not where it should be
  unsigned wrong = 0;
  unsigned meetings = 0;

  __device__ void prepare(int rank, int) { words()[rank] = 0; }
  __device__ void step(int) {
#pragma unroll
    for (int i = 0; i < repeats; ++i) {
      if constexpr (Checked) words()[threadIdx.x] = ++meetings;
      __syncthreads();
      if constexpr (Checked) {
        wrong += words()[(threadIdx.x + 32) % blockDim.x] == meetings ? 0 : 1;
        __syncthreads();
      }
    }
  }
  __device__ void drain() {}
  __device__ void finish(int rank, int block) { results[block * static_cast<int>(blockDim.x) + rank] = wrong; }

 private:
  static __device__ volatile unsigned* words() {
    __shared__ unsigned memory[most_threads];
    return memory;
  }
};

/// Two warpgroups take turns: one waits at a named barrier on which the other arrives, then the other way round.
/// `Checked` also counts turns in one word that both write.
template <bool Checked>
struct HandOvers {
  static constexpr int most_threads = hand_over_threads;
  unsigned* results = nullptr;
  unsigned wrong = 0;
  unsigned turn = 0;

  __device__ void prepare(int, int) { turns() = 0; }
  __device__ void step(int) {
    const bool first = threadIdx.x < hand_over_threads / 2;
#pragma unroll
    for (int i = 0; i < repeats; ++i) {
      if (first) {
        take_turn();
        arrive(1);
        wait(2);
      } else {
        wait(1);
        take_turn();
        arrive(2);
      }
    }
  }
  __device__ void drain() {}
  __device__ void finish(int rank, int block) {
    const unsigned expected = 2 * repeats * iterations;
    results[block * static_cast<int>(blockDim.x) + rank] = wrong + (Checked && turns() != expected ? 1 : 0);
  }

 private:
  static __device__ volatile unsigned& turns() {
    __shared__ unsigned word;
    return word;
  }
  /// Of the turns, this warpgroup has every second one.
  __device__ void take_turn() {
    if constexpr (Checked) {
      const unsigned before = threadIdx.x < hand_over_threads / 2 ? 0 : 1;
      if (threadIdx.x % (hand_over_threads / 2) == 0) {
        wrong += turns() == turn + before ? 0 : 1;
        turns() = turn + before + 1;
      }
      turn += 2;
    }
  }
  static __device__ void arrive(int number) {
    asm volatile("barrier.cta.arrive.aligned %0, %1;" ::"r"(number), "n"(hand_over_threads) : "memory");
  }
  static __device__ void wait(int number) {
    asm volatile("barrier.cta.sync.aligned %0, %1;" ::"r"(number), "n"(hand_over_threads) : "memory");
  }
};

template <class Barriers>
CycleSamples run(int threads, const ProbeSettings& settings, Count repetitions, const std::string& what) {
  Buffer<unsigned> results(static_cast<std::size_t>(settings.gpu.sm_count) * static_cast<std::size_t>(threads));
  Barriers work;
  work.results = results.data();
  CycleSamples samples = measure_cycles(
      work, {.blocks = settings.gpu.sm_count, .threads = threads, .iterations = iterations}, repetitions);
  for (const unsigned wrong : results.to_host()) {
    if (wrong != 0) throw ProbeWrong(what + ": a thread passed a barrier before the others had arrived");
  }
  return samples;
}

/// Clocks of one barrier, `barriers` of them in a step.
Figure cost(const std::string& key, int barriers, CycleSamples samples) {
  for (double& clocks : samples.clocks) clocks /= barriers * iterations;
  return figure_of(key, samples.clocks, clock_of(samples));
}

}  // namespace

std::vector<Figure> probe_barrier(const ProbeSettings& settings) {
  std::vector<Figure> figures;
  for (const Count threads : barrier_threads()) {
    const std::string key = "probe.barrier.block.t" + std::to_string(threads);
    run<BlockBarriers<true>>(static_cast<int>(threads), settings, 1, key);
    figures.push_back(
        cost(key, repeats, run<BlockBarriers<false>>(static_cast<int>(threads), settings, settings.repetitions, key)));
  }
  const std::string key = "probe.barrier.hand_over";
  run<HandOvers<true>>(hand_over_threads, settings, 1, key);
  figures.push_back(
      cost(key, 2 * repeats, run<HandOvers<false>>(hand_over_threads, settings, settings.repetitions, key)));
  return figures;
}

}  // namespace tilemeter::kernels
