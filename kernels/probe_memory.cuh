// Device memory of known words, and kernels that read, write and copy it.
#pragma once

#include "kernels/probe_cycles.cuh"
#include "kernels/timer.hpp"

namespace tilemeter::kernels {

inline constexpr int memory_threads = 256;
inline constexpr int memory_unroll = 8;  ///< independent 16-byte loads of a thread

/// Word i of the arrays. Linear, so that sums are known without adding up.
__host__ __device__ inline unsigned word_at(unsigned long long i) {
  return static_cast<unsigned>(i) * 2654435761u + 12345u;
}

/// The sum of words first, ..., first + count - 1, modulo 2^32.
inline unsigned sum_of_words(unsigned long long first, unsigned long long count) {
  // count (count - 1) / 2 in halves, so that nothing is lost to wrapping.
  const unsigned long long half = count % 2 == 0 ? count / 2 * (count - 1) : (count - 1) / 2 * count;
  const auto indices = static_cast<unsigned>(first * count + half);
  return indices * 2654435761u + static_cast<unsigned>(count) * 12345u;
}

/// A 16-byte load that leaves the L1 alone.
inline __device__ uint4 load_past_l1(const uint4* from) {
  uint4 v;
  asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(from));
  return v;
}

inline __device__ unsigned sum_of(const uint4& v) { return v.x + v.y + v.z + v.w; }

/// Adds this warp's sums to `sum`.
inline __device__ void add_to(unsigned* sum, unsigned value) {
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_xor_sync(~0u, value, distance);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, value);
}

/// Reads `size` vectors `passes` times; every pass starts at another place, so that no SM reads what it read before.
/// `sum` receives the sum of all words; `span`, unless null, what the first block saw.
__global__ void read_words(const uint4* from, unsigned long long size, int passes, unsigned* sum, Span* span);
__global__ void write_words(uint4* to, unsigned long long size);
__global__ void copy_words(const uint4* from, uint4* to, unsigned long long size);

/// Arrays of words, and launches over parts of them.
class Words {
 public:
  /// Throws CudaError where the memory is not there.
  explicit Words(Bytes size) : memory_(static_cast<std::size_t>(size.value()) / sizeof(uint4)), sum_(1) {}

  Bytes size() const { return Bytes(static_cast<Count>(memory_.bytes())); }
  uint4* data() { return memory_.data(); }

  /// Enqueues kernels over `bytes` from byte `offset` on, both multiples of 16.
  void write(Bytes offset, Bytes bytes, Stream stream = nullptr);
  void read(Bytes offset, Bytes bytes, int passes = 1, Stream stream = nullptr, Span* span = nullptr);
  void copy_to(Words& other, Bytes offset, Bytes bytes, Stream stream = nullptr);

  /// The sum of what was read since the last call; waits.
  unsigned take_sum();

 private:
  Buffer<uint4> memory_;
  Buffer<unsigned> sum_;
};

/// What the words of a part add up to.
unsigned expected_sum(Bytes offset, Bytes bytes);
/// Throws ProbeWrong that names `what` unless both are equal.
void require_sum(unsigned found, unsigned expected, const char* what);

/// Seconds between events around `launch`, after `untimed_launches` to warm up.
inline constexpr Count untimed_launches = 2;
std::vector<double> timed_launches(const Launch& launch, Count repetitions);

/// Bytes over each of `seconds`.
std::vector<double> bandwidths(Bytes bytes, std::span<const double> seconds);

}  // namespace tilemeter::kernels
