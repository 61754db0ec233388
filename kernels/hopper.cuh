// Hopper's asynchronous instructions under names: barriers in shared memory, tensor copies (TMA), fences, registers
// moved between warpgroups, and matrices stored from fragments. Use them in code that `if constexpr (hopper)` guards.
#pragma once

#include <cuda.h>

#include <cassert>
#include <cstdint>

#include "kernels/mma.cuh"

namespace tilemeter::kernels {

/// Whether this pass of the compiler makes code for sm_90a, which alone has these instructions and wgmma.
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
inline constexpr bool hopper = true;
#else
inline constexpr bool hopper = false;
#endif

inline constexpr int warp_size = 32;
inline constexpr int warpgroup_size = 128;

/// threadIdx.x, read anew: what code that seldom runs computes from it does not stay in registers meanwhile.
inline __device__ int thread_read_anew() {
  int thread;
  asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
  return thread;
}

/// Bytes of a row of a swizzled tile. The 16-byte chunk c of row r stands in the place c XOR (r mod 8), and eight rows
/// make an atom; tiles start at multiples of an atom.
inline constexpr int swizzle_row = 128;
inline constexpr int swizzle_atom = 8 * swizzle_row;

/// Address of the 16-byte chunk of a row of a swizzled tile.
inline __device__ std::uint32_t swizzled(std::uint32_t tile, int row, int chunk) {
  return tile + row * swizzle_row + ((chunk ^ (row % 8)) * 16);
}

/// A barrier in shared memory (8 bytes, aligned). Its phase ends when as many threads have arrived as it was
/// initialised for and all bytes that they announced are there.
struct Barrier {
  std::uint32_t address;

  __device__ void init(int arrivals) const {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address), "r"(arrivals) : "memory");
  }
  __device__ void arrive() const { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address) : "memory"); }
  /// Arrives at the barrier in this place of a block of the cluster.
  __device__ void arrive_at(int block) const {
    asm volatile(
        "{\n"
        ".reg .b32 there;\n"
        "mapa.shared::cluster.u32 there, %0, %1;\n"
        "mbarrier.arrive.shared::cluster.b64 _, [there];\n"
        "}" ::"r"(address),
        "r"(block)
        : "memory");
  }
  /// Arrives, and announces bytes that tensor copies will bring.
  __device__ void arrive_expecting(int bytes) const {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address), "r"(bytes) : "memory");
  }
  /// Waits for the end of the phase of this parity: 0 for the first. At parity 1 a new barrier lets through. Built with
  /// TILEMETER_BARRIER_DEADLINE, a wait of more than two seconds is a failed assertion that names `site`.
  __device__ void wait(int parity, [[maybe_unused]] const char* site) const {
#ifdef TILEMETER_BARRIER_DEADLINE
    const std::uint64_t begin = nanoseconds();
    while (!has_ended(parity)) {
      if (nanoseconds() - begin > 2'000'000'000) __assert_fail(site, __FILE__, __LINE__, "Barrier::wait");
    }
#else
    asm volatile(
        "{\n"
        ".reg .pred ended;\n"
        "AGAIN:\n"
        "mbarrier.try_wait.parity.shared::cta.b64 ended, [%0], %1;\n"
        "@ended bra ENDED;\n"
        "bra AGAIN;\n"
        "ENDED:\n"
        "}" ::"r"(address),
        "r"(parity)
        : "memory");
#endif
  }

 private:
#ifdef TILEMETER_BARRIER_DEADLINE
  __device__ bool has_ended(int parity) const {
    int ended;
    asm volatile(
        "{\n"
        ".reg .pred ended;\n"
        "mbarrier.try_wait.parity.shared::cta.b64 ended, [%1], %2;\n"
        "selp.b32 %0, 1, 0, ended;\n"
        "}"
        : "=r"(ended)
        : "r"(address), "r"(parity)
        : "memory");
    return ended != 0;
  }
  __device__ static std::uint64_t nanoseconds() {
    std::uint64_t time;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
    return time;
  }
#endif
};

/// Where a thread is in a ring of stages: the stage, and the parity of its phase.
template <int Stages>
struct RingPosition {
  int stage = 0;
  int parity = 0;

  __device__ void advance() {
    if (++stage < Stages) return;
    stage = 0;
    parity ^= 1;
  }
};

/// Makes initialised barriers visible to tensor copies; a barrier of the block follows.
inline __device__ void fence_barrier_init() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }

/// Initialises the barriers of a ring for all threads of the block: a stage is full when one thread's copies have
/// arrived, and empty when so many consumers have read it.
template <int Stages, int Consumers, class Memory>
__device__ void init_stages(const Memory& shared) {
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < Stages; ++stage) {
      shared.full(stage).init(1);
      shared.empty(stage).init(Consumers);
    }
    fence_barrier_init();
  }
  __syncthreads();
}

/// Makes this thread's ordinary stores to shared memory visible to tensor copies and wgmma; a barrier follows.
inline __device__ void fence_async_proxy() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

/// A barrier of `threads` threads of the block. Number 0 is that of __syncthreads.
inline __device__ void named_barrier(int number, int threads) {
  asm volatile("barrier.cta.sync %0, %1;" ::"r"(number), "r"(threads) : "memory");
}

/// Arrives at such a barrier without waiting: one of its `threads`.
inline __device__ void named_arrive(int number, int threads) {
  asm volatile("barrier.cta.arrive %0, %1;" ::"r"(number), "r"(threads) : "memory");
}

/// This block's number in its cluster. Blocks of a cluster run side by side and reach each other's shared memory.
inline __device__ int block_of_cluster() {
  int block;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(block));
  return block;
}
/// A barrier of all threads of the cluster, behind which what they wrote to shared memory is seen by all.
inline __device__ void cluster_barrier() {
  asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
}

/// The calling warpgroup keeps so many registers a thread and gives the rest back: a multiple of 8, from 24 to 256. The
/// kernel must state its threads and one block an SM as launch bounds.
template <int Registers>
__device__ void shrink_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Registers));
}
/// Waits until the calling warpgroup can have so many registers a thread.
template <int Registers>
__device__ void grow_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Registers));
}

/// Brings a tensor's description close; it must be a __grid_constant__ parameter, here and below.
inline __device__ void prefetch(const CUtensorMap& map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
}

/// Of the first element of a box of a tensor of three dimensions. They may lie outside the tensor.
struct Coordinates {
  int inner, middle, outer;
};

/// Copies a box to shared memory. `barrier` receives the bytes of the whole box; what lies outside the tensor arrives
/// as zeros.
inline __device__ void load_box(std::uint32_t to, const CUtensorMap& map, const Coordinates& at, Barrier barrier) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], [%5];" ::
          "r"(to),
      "l"(&map), "r"(at.inner), "r"(at.middle), "r"(at.outer), "r"(barrier.address)
      : "memory");
}
/// The same of a tensor of five dimensions.
inline __device__ void load_box(std::uint32_t to, const CUtensorMap& map, const int (&at)[5], Barrier barrier) {
  asm volatile(
      "cp.async.bulk.tensor.5d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4, %5, %6}], "
      "[%7];" ::"r"(to),
      "l"(&map), "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]), "r"(at[4]), "r"(barrier.address)
      : "memory");
}
/// Rows of a matrix of a tensor whose columns are described as panels of 64 (panel_map): a copy takes them all.
struct MatrixRows {
  int row, matrix;
};

/// Copies rows to a tile whose panels of 64 columns lie one behind the other.
inline __device__ void load_rows(std::uint32_t to, const CUtensorMap& map, const MatrixRows& at, Barrier barrier) {
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %2, %4}], "
      "[%5];" ::"r"(to),
      "l"(&map), "r"(0), "r"(at.row), "r"(at.matrix), "r"(barrier.address)
      : "memory");
}
/// Copies some panels of rows, as many as the map's box has, to the same place of the blocks of the cluster whose bits
/// are set, where the barrier in the place of `barrier` receives the bytes.
inline __device__ void load_panels(std::uint32_t to, const CUtensorMap& map, const MatrixRows& at, int first_panel,
                                   Barrier barrier, int blocks) {
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], "
      "[%1, {%2, %3, %4, %5}], [%6], %7;" ::"r"(to),
      "l"(&map), "r"(0), "r"(at.row), "r"(first_panel), "r"(at.matrix), "r"(barrier.address),
      "h"(static_cast<std::uint16_t>(blocks))
      : "memory");
}
/// Copies such a tile from shared memory, as store_box does.
inline __device__ void store_rows(const CUtensorMap& map, const MatrixRows& at, std::uint32_t from) {
  asm volatile("cp.async.bulk.tensor.4d.global.shared::cta.bulk_group [%0, {%1, %2, %1, %3}], [%4];" ::"l"(&map),
               "r"(0), "r"(at.row), "r"(at.matrix), "r"(from)
               : "memory");
}

/// Copies a box from shared memory; what lies outside the tensor is not written. Belongs to this thread's next
/// `commit_stores`.
inline __device__ void store_box(const CUtensorMap& map, const Coordinates& at, std::uint32_t from) {
  asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%0, {%1, %2, %3}], [%4];" ::"l"(&map),
               "r"(at.inner), "r"(at.middle), "r"(at.outer), "r"(from)
               : "memory");
}
/// Adds some panels of rows in shared memory to the tensor, element by element, where store_rows would store them.
inline __device__ void add_panels(const CUtensorMap& map, const MatrixRows& at, int first_panel, std::uint32_t from) {
  asm volatile(
      "cp.reduce.async.bulk.tensor.4d.global.shared::cta.add.bulk_group [%0, {%1, %2, %3, %4}], [%5];" ::"l"(&map),
      "r"(0), "r"(at.row), "r"(first_panel), "r"(at.matrix), "r"(from)
      : "memory");
}
/// Makes a group of the stores since the last.
inline __device__ void commit_stores() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
/// Waits until all but the latest `Pending` groups of this thread have read their shared memory.
template <int Pending>
__device__ void wait_stores_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(Pending) : "memory");
}
/// Waits until all stores of this thread are done.
inline __device__ void wait_stores() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }

/// Four floats from the shared memory of block `rank` of the cluster, at `address` there (16 bytes, aligned).
inline __device__ float4 load_remote(std::uint32_t address, int rank) {
  float4 values;
  asm volatile(
      "{\n"
      ".reg .b32 remote;\n"
      "mapa.shared::cluster.u32 remote, %4, %5;\n"
      "ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [remote];\n"
      "}"
      : "=f"(values.x), "=f"(values.y), "=f"(values.z), "=f"(values.w)
      : "r"(address), "r"(rank)
      : "memory");
  return values;
}

/// Stores four 8 x 8 matrices of 16-bit elements, one a register, in fragment layout: lane l holds columns 2 (l mod 4)
/// and the next of row l / 4. Lane l gives the address of row l mod 8 of matrix l / 8.
inline __device__ void store_matrices(std::uint32_t row, const std::uint32_t (&matrices)[4]) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared::cta.b16 [%0], {%1, %2, %3, %4};" ::"r"(row), "r"(matrices[0]),
               "r"(matrices[1]), "r"(matrices[2]), "r"(matrices[3])
               : "memory");
}

/// The same with each matrix transposed: lane l gives the address of column l mod 8 of matrix l / 8.
inline __device__ void store_matrices_transposed(std::uint32_t column, const std::uint32_t (&matrices)[4]) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared::cta.b16 [%0], {%1, %2, %3, %4};" ::"r"(column),
               "r"(matrices[0]), "r"(matrices[1]), "r"(matrices[2]), "r"(matrices[3])
               : "memory");
}

}  // namespace tilemeter::kernels
