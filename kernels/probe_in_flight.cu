#include "kernels/probe_functions.hpp"
#include "kernels/probe_memory.cuh"

namespace tilemeter::kernels {
namespace {

constexpr int warp = 32;
constexpr int most_stages = 12;
constexpr int largest_chunk = 16 << 10;
constexpr int checked_distance = 512;  ///< of every so many bytes, the first word is added up
constexpr Bytes array_size(Count{1} << 30);
constexpr int needed_capability = 90;  ///< bulk copies

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
constexpr bool has_bulk_copies = true;
#else
constexpr bool has_bulk_copies = false;
#endif

/// How one SM keeps its bytes in flight.
struct Ring {
  int stages;
  int chunk;  ///< bytes
};
/// Four copies or more, so that the wait for one leaves most of the others under way.
constexpr Ring ring_of(int bytes) {
  const int stages = bytes / 4 <= largest_chunk ? 4 : bytes / largest_chunk;
  return {stages, bytes / stages};
}

__device__ unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}
__device__ void init_barrier(unsigned long long& barrier) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&barrier)) : "memory");
}
__device__ void wait_for(unsigned long long& barrier, int parity) {
  asm volatile(
      "{\n.reg .pred ended;\nAGAIN:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 ended, [%0], %1;\n"
      "@!ended bra AGAIN;\n}" ::"r"(shared_address(&barrier)),
      "r"(parity)
      : "memory");
}
/// Starts a bulk copy whose bytes `barrier` receives.
__device__ void start_copy(void* to, const char* from, int bytes, unsigned long long& barrier) {
  asm volatile(
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%3], %2;\n"
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
          shared_address(to)),
      "l"(from), "r"(bytes), "r"(shared_address(&barrier))
      : "memory");
}

/// Reads chunks blockIdx.x, blockIdx.x + gridDim.x, ... through the stages. Returns what this thread added up.
__device__ unsigned sum_through_ring(char* stages, unsigned long long* full, const char* from, int chunks,
                                     const Ring& ring) {
  const bool leads = threadIdx.x == 0;
  const auto chunk_of = [](int turn) { return blockIdx.x + static_cast<long long>(turn) * gridDim.x; };
  const auto start = [&](int turn) {
    const int stage = turn % ring.stages;
    if (!leads || chunk_of(turn) >= chunks) return;
    start_copy(stages + stage * ring.chunk, from + chunk_of(turn) * ring.chunk, ring.chunk, full[stage]);
  };
  unsigned total = 0;
  for (int turn = 0; turn < ring.stages; ++turn) start(turn);
  for (int turn = 0; chunk_of(turn) < chunks; ++turn) {
    const int stage = turn % ring.stages;
    wait_for(full[stage], turn / ring.stages % 2);
    for (int at = threadIdx.x * checked_distance; at < ring.chunk; at += warp * checked_distance) {
      total += *reinterpret_cast<const volatile unsigned*>(stages + stage * ring.chunk + at);
    }
    __syncwarp();
    start(turn + ring.stages);
  }
  return total;
}

/// One warp an SM.
__global__ void __launch_bounds__(warp) read_through_ring(const char* from, int chunks, Ring ring, unsigned* sum) {
  if constexpr (has_bulk_copies) {
    extern __shared__ __align__(128) char stages[];
    __shared__ unsigned long long full[most_stages];
    if (threadIdx.x == 0) {
      for (int stage = 0; stage < ring.stages; ++stage) init_barrier(full[stage]);
      asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncwarp();
    add_to(sum, sum_through_ring(stages, full, from, chunks, ring));
  }
}

/// What the words at every `checked_distance` of the first bytes add up to.
unsigned expected(Bytes bytes) {
  unsigned sum = 0;
  for (Count word = 0; word < bytes.value() / 4; word += checked_distance / 4) {
    sum += word_at(static_cast<unsigned long long>(word));
  }
  return sum;
}

Figure figure(Words& words, int kib, const ProbeSettings& settings) {
  const Ring ring = ring_of(kib << 10);
  const int shared = ring.stages * ring.chunk;
  const int chunks = static_cast<int>(array_size.value() / ring.chunk);
  const Bytes bytes(Count{chunks} * ring.chunk);
  TILEMETER_CHECK(cudaFuncSetAttribute(read_through_ring, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
  Buffer<unsigned> sum(std::vector<unsigned>{0});
  const auto seconds = timed_launches(
      [&](Stream stream) {
        read_through_ring<<<static_cast<unsigned>(settings.gpu.sm_count), warp, shared, stream>>>(
            reinterpret_cast<const char*>(words.data()), chunks, ring, sum.data());
        TILEMETER_CHECK(cudaGetLastError());
      },
      settings.repetitions);
  const std::string key = "probe.hbm.in_flight.k" + std::to_string(kib);
  require_sum(sum.to_host()[0], static_cast<unsigned>(settings.repetitions + 1) * expected(bytes), key.c_str());
  return figure_of(key, bandwidths(bytes, seconds));
}

}  // namespace

std::vector<Figure> probe_in_flight(const ProbeSettings& settings) {
  if (settings.gpu.capability < needed_capability) {
    throw ProbeUnavailable("needs the bulk copies of compute capability 9.0");
  }
  Words words(array_size);
  words.write(Bytes(0), array_size);
  std::vector<Figure> figures;
  for (const Count kib : in_flight_sizes()) {
    figures.push_back(figure(words, static_cast<int>(kib), settings));
  }
  return figures;
}

}  // namespace tilemeter::kernels
