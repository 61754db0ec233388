#include "kernels/probe_functions.hpp"
#include "kernels/probe_memory.cuh"

namespace tilemeter::kernels {
namespace {

constexpr int loads = 4;  ///< of a thread under way, 16 bytes each
constexpr int most_threads = 1024;
constexpr Bytes array_size(Count{1} << 30);

/// A thread reads vectors thread, thread + all, ... and starts the next load as soon as it has the oldest, so that one
/// less than `loads` to all of them are under way.
__global__ void __launch_bounds__(most_threads) read_in_flight(const uint4* from, unsigned size, unsigned* sums) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
  const auto load = [&](unsigned i) { return i < size ? load_past_l1(from + i) : make_uint4(0, 0, 0, 0); };
  uint4 under_way[loads];
#pragma unroll
  for (int j = 0; j < loads; ++j) under_way[j] = load(thread + j * all);
  unsigned total = 0;
  for (unsigned i = thread; i < size; i += loads * all) {
#pragma unroll
    for (int j = 0; j < loads; ++j) {
      total += sum_of(under_way[j]);
      under_way[j] = load(i + (loads + j) * all);
    }
  }
  add_to(sums, total);
}

Figure figure(Words& words, int kib, const ProbeSettings& settings) {
  const int threads = kib * 1024 / (loads * static_cast<int>(sizeof(uint4)));  // of an SM
  const int blocks_of_sm = (threads + most_threads - 1) / most_threads;
  const auto blocks = static_cast<unsigned>(settings.gpu.sm_count * blocks_of_sm);
  const auto size = static_cast<unsigned>(array_size.value() / static_cast<Count>(sizeof(uint4)));
  Sums sums;
  const auto seconds = timed_launches(
      [&](Stream stream) {
        read_in_flight<<<blocks, threads / blocks_of_sm, 0, stream>>>(words.data(), size, sums.data());
        TILEMETER_CHECK(cudaGetLastError());
      },
      settings.repetitions);
  const std::string key = "probe.hbm.in_flight.k" + std::to_string(kib);
  const auto launches = static_cast<unsigned>(settings.repetitions + untimed_launches);
  require_sum(sums.take(), launches * expected_sum(Bytes(0), array_size), key.c_str());
  return figure_of(key, bandwidths(array_size, seconds));
}

}  // namespace

std::vector<Figure> probe_in_flight(const ProbeSettings& settings) {
  Words words(array_size);
  words.write(Bytes(0), array_size);
  std::vector<Figure> figures;
  for (const Count kib : in_flight_sizes()) figures.push_back(figure(words, static_cast<int>(kib), settings));
  return figures;
}

}  // namespace tilemeter::kernels
