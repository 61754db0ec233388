#include <algorithm>

#include "kernels/present.hpp"
#include "kernels/probe_memory.cuh"

namespace tilemeter::kernels {
namespace {

/// Vectors that a block reads at a time.
constexpr unsigned long long group_size = memory_threads * memory_unroll;
constexpr unsigned groups_between_passes = 37;

unsigned long long vectors_of(Bytes bytes) { return static_cast<unsigned long long>(bytes.value()) / sizeof(uint4); }

/// A block for every `size_of_block` vectors.
unsigned blocks_for(unsigned long long size, unsigned long long size_of_block) {
  return static_cast<unsigned>((size + size_of_block - 1) / size_of_block);
}

/// As many blocks as are resident at once.
unsigned resident_blocks() {
  constexpr unsigned of_sm = 2048 / memory_threads;
  return of_sm * static_cast<unsigned>(multiprocessors());
}

/// Reads `size` vectors `passes` times.
__global__ void __launch_bounds__(memory_threads)
    read_words(const uint4* from, unsigned long long size, int passes, unsigned* sums, Span* span) {
  const unsigned long long time = nanoseconds();
  const long long begin = clocks();
  const auto groups = static_cast<unsigned>((size + group_size - 1) / group_size);
  unsigned total = 0;
  for (unsigned turn = blockIdx.x; turn < groups * passes; turn += gridDim.x) {
    const unsigned pass = turn / groups;
    const unsigned long long i = (turn + pass * groups_between_passes) % groups * group_size + threadIdx.x;
    uint4 values[memory_unroll] = {};
#pragma unroll
    for (int j = 0; j < memory_unroll; ++j) {
      if (i + j * memory_threads < size) values[j] = load_past_l1(from + i + j * memory_threads);
    }
#pragma unroll
    for (const uint4& value : values) total += sum_of(value);
  }
  add_to(sums, total);
  if (span != nullptr && blockIdx.x == 0 && threadIdx.x == 0) *span = {begin, clocks(), nanoseconds() - time};
}

__global__ void __launch_bounds__(memory_threads) write_words(uint4* to, unsigned long long size) {
  const unsigned long long i = blockIdx.x * static_cast<unsigned long long>(memory_threads) + threadIdx.x;
  const unsigned word = word_at(4 * i), step = word_at(1) - word_at(0);
  if (i < size) to[i] = make_uint4(word, word + step, word + 2 * step, word + 3 * step);
}

__global__ void __launch_bounds__(memory_threads) copy_words(const uint4* from, uint4* to, unsigned long long size) {
  const unsigned long long i = blockIdx.x * static_cast<unsigned long long>(memory_threads) + threadIdx.x;
  if (i < size) to[i] = load_past_l1(from + i);
}

}  // namespace

unsigned Sums::take() {
  unsigned sum = 0;
  for (const unsigned word : words_.to_host()) sum += word;
  clear();
  return sum;
}

void Words::write(Bytes offset, Bytes bytes, Stream stream) {
  const unsigned long long size = vectors_of(bytes);
  write_words<<<blocks_for(size, memory_threads), memory_threads, 0, stream>>>(memory_.data() + vectors_of(offset),
                                                                               size);
  TILEMETER_CHECK(cudaGetLastError());
}

// The resident blocks take turns: a block for each group would spend as long on its sums as on its loads.
void Words::read(Bytes offset, Bytes bytes, int passes, Stream stream, Span* span) {
  const unsigned long long size = vectors_of(bytes);
  const auto groups = static_cast<unsigned long long>(passes) * blocks_for(size, group_size);
  const auto blocks = static_cast<unsigned>(std::min<unsigned long long>(groups, resident_blocks()));
  read_words<<<blocks, memory_threads, 0, stream>>>(memory_.data() + vectors_of(offset), size, passes, sums_.data(),
                                                    span);
  TILEMETER_CHECK(cudaGetLastError());
}

void Words::copy_to(Words& other, Bytes offset, Bytes bytes, Stream stream) {
  const unsigned long long size = vectors_of(bytes);
  copy_words<<<blocks_for(size, memory_threads), memory_threads, 0, stream>>>(
      memory_.data() + vectors_of(offset), other.memory_.data() + vectors_of(offset), size);
  TILEMETER_CHECK(cudaGetLastError());
}

unsigned expected_sum(Bytes offset, Bytes bytes) {
  const auto words = [](Bytes size) { return static_cast<unsigned long long>(size.value()) / sizeof(unsigned); };
  return sum_of_words(words(offset), words(bytes));
}

void require_sum(unsigned found, unsigned expected, const char* what) {
  if (found == expected) return;
  throw ProbeWrong(std::string(what) + ": the words add up to " + std::to_string(found) + ", not " +
                   std::to_string(expected));
}

std::vector<double> timed_launches(const Launch& launch, Count repetitions) {
  for (Count i = 0; i < untimed_launches; ++i) launch(nullptr);
  std::vector<double> seconds;
  for (Count i = 0; i < repetitions; ++i) {
    Event start, stop;
    start.record(nullptr);
    launch(nullptr);
    stop.record(nullptr);
    stop.wait();
    seconds.push_back(stop.since(start).value);
  }
  return seconds;
}

std::vector<double> bandwidths(Bytes bytes, std::span<const double> seconds) {
  std::vector<double> rates;
  for (const double time : seconds) rates.push_back(static_cast<double>(bytes.value()) / time);
  return rates;
}

}  // namespace tilemeter::kernels
