#include "tests/kernels/spin.hpp"

#include "kernels/check.hpp"

namespace {

__device__ long long global_nanoseconds() {
  long long time;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(time));
  return time;
}

__global__ void spin(long long nanoseconds) {
  const long long end = global_nanoseconds() + nanoseconds;
  while (global_nanoseconds() < end) {
  }
}

__global__ void read(const uint4* from, std::size_t words, unsigned* sink) {
  const std::size_t thread = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  unsigned sum = 0;
  for (std::size_t i = thread; i < words; i += read_threads) sum += from[i].x ^ from[i].y ^ from[i].z ^ from[i].w;
  sink[thread] = sum;
}

}  // namespace

void launch_spin(long long nanoseconds, tilemeter::kernels::Stream stream) {
  spin<<<1, 1, 0, stream>>>(nanoseconds);
  TILEMETER_CHECK(cudaGetLastError());
}

void launch_read(const void* from, std::size_t words, unsigned* sink, tilemeter::kernels::Stream stream) {
  read<<<132, 512, 0, stream>>>(static_cast<const uint4*>(from), words, sink);
  TILEMETER_CHECK(cudaGetLastError());
}
