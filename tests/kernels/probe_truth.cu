#include "tests/kernels/probe_truth.hpp"

#include <cmath>

#include "kernels/probe_memory.cuh"
#include "kernels/probe_mma.cuh"

using namespace tilemeter;
using namespace tilemeter::kernels;

namespace {

__global__ void spin(unsigned long long duration) {
  const unsigned long long begin = nanoseconds();
  while (nanoseconds() - begin < duration) {
  }
}

struct SpinWork {
  static constexpr int most_threads = 128;
  long long duration = 0;
  __device__ void prepare(int, int) {}
  __device__ void step(int) {
    const long long begin = clocks();
    while (clocks() - begin < duration) {
    }
  }
  __device__ void drain() {}
  __device__ void finish(int, int) {}
};

}  // namespace

std::vector<double> seconds_of_spinning(Seconds duration, Count repetitions) {
  const auto length = static_cast<unsigned long long>(std::llround(1e9 * duration.value));
  return timed_launches(
      [&](Stream stream) {
        spin<<<1, 1, 0, stream>>>(length);
        TILEMETER_CHECK(cudaGetLastError());
      },
      repetitions);
}

SpunClocks clocks_of_spinning(Count duration, int iterations) {
  SpinWork work;
  work.duration = duration;
  const CycleSamples samples = measure_cycles(work, {.blocks = 4, .threads = 128, .iterations = iterations}, 5);
  return {samples.clocks, clock_of(samples)};
}

double copy_bandwidth(Bytes bytes) {
  const Buffer<char> from(static_cast<std::size_t>(bytes.value()));
  Buffer<char> to(from.size());
  const auto seconds = timed_launches(
      [&](Stream stream) {
        TILEMETER_CHECK(cudaMemcpyAsync(to.data(), from.data(), from.size(), cudaMemcpyDeviceToDevice, stream));
      },
      5);
  return quantile_of(bandwidths(2 * bytes, seconds), 0.5, "copies");
}

void read_spoilt_words(Bytes bytes) {
  Words words(bytes);
  words.take_sum();
  words.write(Bytes(0), bytes);
  words.read(Bytes(0), bytes);
  require_sum(words.take_sum(), expected_sum(Bytes(0), bytes), "unspoilt words");
  auto* middle = reinterpret_cast<unsigned*>(words.data()) + bytes.value() / 8;
  const unsigned wrong = word_at(static_cast<unsigned long long>(bytes.value() / 8)) ^ 1u;
  TILEMETER_CHECK(cudaMemcpy(middle, &wrong, sizeof wrong, cudaMemcpyHostToDevice));
  words.read(Bytes(0), bytes);
  require_sum(words.take_sum(), expected_sum(Bytes(0), bytes), "spoilt words");
}

void check_spoilt_product() {
  const std::vector<double> expected = MmaChains<__nv_bfloat16, 1>::expected(1);
  std::vector<float> found(expected.begin(), expected.end());
  require_product(found, expected, "unspoilt product");
  found[5] *= 2;
  require_product(found, expected, "spoilt product");
}

void check_product_with_nan() {
  const std::vector<double> expected = MmaChains<__nv_bfloat16, 1>::expected(1);
  std::vector<float> found(expected.begin(), expected.end());
  found[7] = NAN;
  require_product(found, expected, "product with NaN");
}
