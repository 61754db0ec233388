#include "kernels/probe_functions.hpp"
#include "kernels/probe_memory.cuh"

namespace tilemeter::kernels {
namespace {

constexpr int threads = 256;
constexpr int blocks_of_sm = 4;
// Sums of ones are exact in fp32 up to 2^24.
constexpr Count most_ones = 1 << 24;

/// Thread i adds ones to sums[i * distance].
__global__ void __launch_bounds__(threads) add_ones(float* sums, unsigned distance, int additions) {
  float* to = sums + (blockIdx.x * blockDim.x + threadIdx.x) * distance;
#pragma unroll 8
  for (int i = 0; i < additions; ++i) asm volatile("red.global.add.f32 [%0], 0f3F800000;" ::"l"(to) : "memory");
}

/// Every thread adds `additions` ones; `addresses` are 1 or as many as threads.
Figure rate(const std::string& key, Count all_threads, int additions, Count addresses, const ProbeSettings& settings) {
  const double ones = static_cast<double>(all_threads) * additions;
  const double each = ones / static_cast<double>(addresses);
  Buffer<float> sums(static_cast<std::size_t>(addresses));
  std::vector<double> rates;
  for (Count i = 0; i <= settings.repetitions; ++i) {
    TILEMETER_CHECK(cudaMemset(sums.data(), 0, sums.bytes()));
    Event start, stop;
    start.record(nullptr);
    add_ones<<<static_cast<unsigned>(all_threads / threads), threads>>>(sums.data(), addresses == 1 ? 0 : 1, additions);
    TILEMETER_CHECK(cudaGetLastError());
    stop.record(nullptr);
    stop.wait();
    if (i > 0) rates.push_back(ones / stop.since(start).value);
    for (const float sum : sums.to_host()) {
      if (static_cast<double>(sum) == each) continue;
      throw ProbeWrong(key + ": " + std::to_string(sum) + " of " + std::to_string(each) + " additions arrived");
    }
  }
  return figure_of(key, rates);
}

}  // namespace

std::vector<Figure> probe_atomic(const ProbeSettings& settings) {
  const Count all_threads = settings.gpu.sm_count * blocks_of_sm * threads;
  constexpr int few = 64, many = 1024;
  const Count threads_of_one = std::min(all_threads, most_ones / few / threads * threads);
  return {rate("probe.atomic.same_address", threads_of_one, few, 1, settings),
          rate("probe.atomic.spread", all_threads, many, all_threads, settings)};
}

}  // namespace tilemeter::kernels
