// A barrier between the threads that fill a tile and those that use it, for sm_80 and later.
#pragma once

namespace tilemeter::kernels {

/// Eight bytes of shared memory, aligned: a phase ends when as many arrivals have come as the barrier was initialised
/// for, and the next begins. Unlike at __syncthreads, who arrives need not wait.
class PhaseBarrier {
 public:
  static constexpr int size = 8;

  __device__ explicit PhaseBarrier(unsigned address) : address_(address) {}

  /// By one thread; the others may use the barrier after __syncthreads.
  __device__ void init(int arrivals) const {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" : : "r"(address_), "r"(arrivals) : "memory");
  }
  __device__ void arrive() const {
    asm volatile("{\n.reg .b64 state;\nmbarrier.arrive.shared.b64 state, [%0];\n}" : : "r"(address_) : "memory");
  }
  /// Arrives for this thread once all cp.async copies that it has started are there.
  __device__ void arrive_after_copies() const {
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" : : "r"(address_) : "memory");
  }
  /// Waits for the end of the phase of this parity: 0 for the first.
  __device__ void wait(int parity) const {
    while (!has_ended(parity)) {
    }
  }

 private:
  __device__ bool has_ended(int parity) const {
    int ended;
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "{\n.reg .pred ended;\nmbarrier.try_wait.parity.shared.b64 ended, [%1], %2;\nselp.b32 %0, 1, 0, ended;\n}"
#else
    asm volatile(
        "{\n.reg .pred ended;\nmbarrier.test_wait.parity.shared.b64 ended, [%1], %2;\nselp.b32 %0, 1, 0, ended;\n}"
#endif
        : "=r"(ended)
        : "r"(address_), "r"(parity)
        : "memory");
    return ended != 0;
  }

  unsigned address_;
};

}  // namespace tilemeter::kernels
