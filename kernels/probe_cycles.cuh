// Cycles of an SM: work in a loop between two readings of its clock, the same on every SM.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <vector>

#include "kernels/buffer.hpp"
#include "kernels/probe_figure.hpp"
#include "model/statistics.hpp"

namespace tilemeter::kernels {

/// What a thread block saw between the first warp's begin and the last warp's end.
struct Span {
  long long begin = 0;  ///< clocks of its SM
  long long end = 0;
  unsigned long long nanoseconds = 0;

  long long clocks() const { return end - begin; }
};

inline __device__ unsigned long long nanoseconds() {
  unsigned long long time;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time)::"memory");
  return time;
}
inline __device__ long long clocks() {
  long long clock;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(clock)::"memory");
  return clock;
}

/// The span of several warps, in shared memory.
struct SharedSpan {
  unsigned long long begin, end, nanoseconds;

  __device__ void reset() {
    begin = ~0ull;
    end = 0;
    nanoseconds = 0;
  }
  __device__ void add(long long first, long long last, unsigned long long time) {
    atomicMin(&begin, static_cast<unsigned long long>(first));
    atomicMax(&end, static_cast<unsigned long long>(last));
    atomicMax(&nanoseconds, time);
  }
  __device__ Span value() const { return {static_cast<long long>(begin), static_cast<long long>(end), nanoseconds}; }
};

/// Threads `rank` of `count` do `iterations` steps of `work` and report when they began and ended.
template <class Work>
__device__ void run_timed(Work& work, int rank, int iterations, SharedSpan& span) {
  const unsigned long long time = nanoseconds();
  const long long begin = clocks();
#pragma unroll 1
  for (int i = 0; i < iterations; ++i) work.step(i);
  work.drain();
  const long long end = clocks();
  if (rank % 32 == 0) span.add(begin, end, nanoseconds() - time);
}

/// One block an SM. A Work is copied into every thread and has
///   prepare(rank, count): fills registers and shared memory; a barrier follows;
///   step(i):              the measured work, all in asm volatile; drain(): waits for what is still under way;
///   finish(rank, block):  writes the results that the host checks;
/// and `most_threads`.
template <class Work>
__global__ void __launch_bounds__(Work::most_threads) timed_cycles(const Work parameters, int iterations, Span* spans) {
  __shared__ SharedSpan span;
  Work work = parameters;
  const auto rank = static_cast<int>(threadIdx.x);
  if (rank == 0) span.reset();
  work.prepare(rank, static_cast<int>(blockDim.x));
  __syncthreads();
  run_timed(work, rank, iterations, span);
  work.finish(rank, static_cast<int>(blockIdx.x));
  __syncthreads();
  if (rank == 0) spans[blockIdx.x] = span.value();
}

/// What the blocks of some launches saw.
struct CycleSamples {
  std::vector<double> clocks;  ///< of each launch: the median over its blocks
  std::vector<double> hertz;   ///< of each launch
};

/// Adds one launch's spans.
inline void add_launch(CycleSamples& samples, const std::vector<Span>& spans) {
  std::vector<double> clocks, hertz;
  for (const Span& span : spans) {
    clocks.push_back(static_cast<double>(span.clocks()));
    if (span.nanoseconds > 0) hertz.push_back(1e9 * clocks.back() / static_cast<double>(span.nanoseconds));
  }
  samples.clocks.push_back(quantile_of(clocks, 0.5, "clocks of thread blocks"));
  if (!hertz.empty()) samples.hertz.push_back(quantile_of(hertz, 0.5, "clock rates"));
}

inline Hertz clock_of(const CycleSamples& samples) { return {quantile_of(samples.hertz, 0.5, "clock rates")}; }

/// How a Work is launched: on `blocks` SMs.
struct CycleLaunch {
  Count blocks = 1;
  int threads = 128;
  int shared = 0;  ///< bytes of dynamic shared memory
  int iterations = 1;
};

/// One launch to warm up, then `repetitions` of them.
template <class Work>
CycleSamples measure_cycles(const Work& work, const CycleLaunch& launch, Count repetitions) {
  const auto kernel = timed_cycles<Work>;
  TILEMETER_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, launch.shared));
  Buffer<Span> spans(static_cast<std::size_t>(launch.blocks));
  CycleSamples samples;
  for (Count i = 0; i <= repetitions; ++i) {
    kernel<<<static_cast<unsigned>(launch.blocks), launch.threads, launch.shared>>>(work, launch.iterations,
                                                                                    spans.data());
    TILEMETER_CHECK(cudaGetLastError());
    TILEMETER_CHECK(cudaDeviceSynchronize());
    if (i > 0) add_launch(samples, spans.to_host());
  }
  return samples;
}

/// Amounts per clock of samples of clocks.
inline std::vector<double> per_clock(double amount, const CycleSamples& samples) {
  std::vector<double> rates;
  for (const double clocks : samples.clocks) rates.push_back(amount / clocks);
  return rates;
}

/// A well mixed word that host and GPU agree on.
__host__ __device__ inline unsigned mixed(unsigned value) {
  value ^= value >> 16;
  value *= 0x7feb352du;
  value ^= value >> 15;
  value *= 0x846ca68bu;
  return value ^ (value >> 16);
}

}  // namespace tilemeter::kernels
