// Device memory of known words, and kernels that read, write and copy it.
#pragma once

#include "kernels/probe_cycles.cuh"
#include "kernels/timer.hpp"

namespace tilemeter::kernels {

inline constexpr int memory_threads = 256;
inline constexpr int memory_unroll = 8;  ///< independent 16-byte loads of a thread that reads
inline constexpr int sum_slots = 1024;   ///< words that sums are spread over, so that blocks do not wait for each other

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

/// Adds this warp's sums to one of `sums`.
inline __device__ void add_to(unsigned* sums, unsigned value) {
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_xor_sync(~0u, value, distance);
  if (threadIdx.x % 32 == 0) atomicAdd(sums + blockIdx.x % sum_slots, value);
}

/// `sum_slots` sums, 0 at first.
class Sums {
 public:
  Sums() : words_(sum_slots) { clear(); }
  unsigned* data() { return words_.data(); }
  /// Their sum since the last call; waits.
  unsigned take();

 private:
  void clear() { TILEMETER_CHECK(cudaMemset(words_.data(), 0, words_.bytes())); }
  Buffer<unsigned> words_;
};

/// Arrays of words, and launches over parts of them.
class Words {
 public:
  /// Throws CudaError where the memory is not there.
  explicit Words(Bytes size) : memory_(static_cast<std::size_t>(size.value()) / sizeof(uint4)) {}

  Bytes size() const { return Bytes(static_cast<Count>(memory_.bytes())); }
  uint4* data() { return memory_.data(); }

  /// Enqueues kernels over `bytes` from byte `offset` on, both multiples of 16. Words are numbered from there. Every
  /// pass of a read starts at another place; `span`, unless null, receives what the first block saw.
  void write(Bytes offset, Bytes bytes, Stream stream = nullptr);
  void read(Bytes offset, Bytes bytes, int passes = 1, Stream stream = nullptr, Span* span = nullptr);
  void copy_to(Words& other, Bytes offset, Bytes bytes, Stream stream = nullptr);

  /// The sum of what was read since the last call; waits.
  unsigned take_sum() { return sums_.take(); }

 private:
  Buffer<uint4> memory_;
  Sums sums_;
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
