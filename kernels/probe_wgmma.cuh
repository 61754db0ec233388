// Loops of wgmma m64nNk16 on operands that stay where they are: A (64 x 64) in shared memory or registers, B (64 x N)
// in shared memory with k or n innermost, both in rows of 128 swizzled bytes.
#pragma once

#include "kernels/probe_mma.cuh"

namespace tilemeter::kernels {

#ifdef __CUDA_ARCH_FEAT_SM90_ALL
inline constexpr bool has_wgmma = true;
#else
inline constexpr bool has_wgmma = false;
#endif

enum class ASource { shared, registers };
enum class BOrder { k_innermost, n_innermost };

/// One instruction, by its N: `ss` with A from shared memory, `rs` from registers. `N_INNERMOST` is 1 where B has n
/// innermost.
template <class T, int N>
struct Wgmma;

#define ACC_4(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define ACC_8(i) ACC_4(i), ACC_4(i + 4)
#define ACC_16(i) ACC_8(i), ACC_8(i + 8)
#define ACC_32(i) ACC_16(i), ACC_16(i + 16)
#define ACC_64(i) ACC_32(i), ACC_32(i + 32)
#define LIST_4 "%0, %1, %2, %3"
#define LIST_8 LIST_4 ", %4, %5, %6, %7"
#define LIST_16 LIST_8 ", %8, %9, %10, %11, %12, %13, %14, %15"
#define LIST_32 LIST_16 ", %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define LIST_48 LIST_32 ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47"
#define LIST_64 LIST_48 ", %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define LIST_96                                                                      \
  LIST_64                                                                            \
  ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79" \
  ", %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
#define LIST_128                                                                                 \
  LIST_96                                                                                        \
  ", %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111" \
  ", %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"

// P0 to P5 are the numbers of the operands that follow the sums.
#define WGMMA(TYPE, NAME, N, LIST, ACCS, P0, P1, P2, P3, P4, P5)                                                       \
  template <>                                                                                                          \
  struct Wgmma<TYPE, N> {                                                                                              \
    template <int N_INNERMOST>                                                                                         \
    static __device__ void ss(float (&d)[N / 2], unsigned long long a, unsigned long long b) {                         \
      asm volatile("wgmma.mma_async.sync.aligned.m64n" #N "k16.f32." NAME "." NAME " {" LIST "}, " P0 ", " P1          \
                   ", 1, 1, 1, 0, " P2 ";"                                                                             \
                   : ACCS                                                                                              \
                   : "l"(a), "l"(b), "n"(N_INNERMOST));                                                                \
    }                                                                                                                  \
    template <int N_INNERMOST>                                                                                         \
    static __device__ void rs(float (&d)[N / 2], const unsigned (&a)[4], unsigned long long b) {                       \
      asm volatile("wgmma.mma_async.sync.aligned.m64n" #N "k16.f32." NAME "." NAME " {" LIST "}, {" P0 ", " P1 ", " P2 \
                   ", " P3 "}, " P4 ", 1, 1, 1, " P5 ";"                                                               \
                   : ACCS                                                                                              \
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "n"(N_INNERMOST));                            \
    }                                                                                                                  \
  };
#define ACCS_48 ACC_32(0), ACC_16(32)
#define ACCS_96 ACC_64(0), ACC_32(64)
#define ACCS_128 ACC_64(0), ACC_64(64)
WGMMA(__nv_bfloat16, "bf16", 8, LIST_4, ACC_4(0), "%4", "%5", "%6", "%7", "%8", "%9")
WGMMA(__nv_bfloat16, "bf16", 16, LIST_8, ACC_8(0), "%8", "%9", "%10", "%11", "%12", "%13")
WGMMA(__nv_bfloat16, "bf16", 32, LIST_16, ACC_16(0), "%16", "%17", "%18", "%19", "%20", "%21")
WGMMA(__nv_bfloat16, "bf16", 64, LIST_32, ACC_32(0), "%32", "%33", "%34", "%35", "%36", "%37")
WGMMA(__nv_bfloat16, "bf16", 96, LIST_48, ACCS_48, "%48", "%49", "%50", "%51", "%52", "%53")
WGMMA(__nv_bfloat16, "bf16", 128, LIST_64, ACC_64(0), "%64", "%65", "%66", "%67", "%68", "%69")
WGMMA(__nv_bfloat16, "bf16", 192, LIST_96, ACCS_96, "%96", "%97", "%98", "%99", "%100", "%101")
WGMMA(__nv_bfloat16, "bf16", 256, LIST_128, ACCS_128, "%128", "%129", "%130", "%131", "%132", "%133")
WGMMA(__half, "f16", 256, LIST_128, ACCS_128, "%128", "%129", "%130", "%131", "%132", "%133")
#undef WGMMA

/// Each warpgroup adds A B to sums of its own, over and over: four instructions, k = 0, 16, 32, 48, in a product.
template <class T, int N, ASource Source, BOrder Order>
struct WgmmaProducts {
  static constexpr int most_threads = 256;
  static constexpr int warpgroup = 128;
  static constexpr int m = 64, n = N, k = 64;
  static constexpr int products = 4;  ///< in a step
  static constexpr unsigned b_offset = 10000;
  static constexpr int row_bytes = 128, atom = 8 * row_bytes;
  static constexpr int panel = k * row_bytes;  ///< of B with n innermost: 64 columns, all k
  static constexpr int a_bytes = m * row_bytes;
  static constexpr int b_bytes = Order == BOrder::k_innermost ? N * row_bytes : (N + 63) / 64 * panel;
  static constexpr int shared_bytes = a_bytes + b_bytes + atom;  ///< an atom to spare for aligning them

  /// Results of so many threads.
  static constexpr __host__ __device__ int products_of(int threads) { return threads / warpgroup; }
  static constexpr double flops(int threads, int iterations) {
    return 2.0 * m * n * k * products * products_of(threads) * iterations;
  }

  float* results = nullptr;  ///< m n floats for every warpgroup
  float d[N / 2] = {};
  int threads = 0;
  unsigned fragments[k / 16][4] = {};
  unsigned long long a = 0, b = 0;  ///< descriptors

  __device__ void prepare(int rank, int count) {
    threads = count;
    if constexpr (has_wgmma) {
      extern __shared__ char memory[];
      const auto unaligned = static_cast<unsigned>(__cvta_generic_to_shared(memory));
      char* tiles = memory + (atom - unaligned % atom) % atom;
      fill(reinterpret_cast<T*>(tiles), rank, count);
      load_fragments(rank % warpgroup);
      const auto address = static_cast<unsigned>(__cvta_generic_to_shared(tiles));
      a = descriptor(address, 0);
      b = descriptor(address + a_bytes, Order == BOrder::k_innermost ? 0 : panel);
      asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
  }
  __device__ void step(int) {
    if constexpr (has_wgmma) {
      asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
      for (int i = 0; i < products; ++i) {
#pragma unroll
        for (int slice = 0; slice < k / 16; ++slice) multiply(slice);
      }
      asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    }
  }
  __device__ void drain() {
    if constexpr (has_wgmma) asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    for (float& sum : d) asm volatile("" : "+f"(sum)::"memory");
  }
  __device__ void finish(int rank, int block) {
    float* to = results + (block * products_of(threads) + rank / warpgroup) * m * n;
    const int row = rank % warpgroup / 32 * 16 + rank % 32 / 4, column = rank % 4 * 2;
    for (int i = 0; i < N / 2; ++i) to[(row + i % 4 / 2 * 8) * n + i / 4 * 8 + column + i % 2] = d[i];
  }

  static std::vector<double> expected(int iterations) {
    return summed_products<T>(m, n, k, b_offset, double{products} * iterations);
  }

 private:
  /// Element of a swizzled tile: the 16-byte chunks of a row stand in the order of their number XOR the row's.
  static __device__ int place(int row, int column) {
    return row * (row_bytes / 2) + ((column / 8) ^ (row % 8)) * 8 + column % 8;
  }
  static __device__ int place_in_b(int row, int column) {
    if (Order == BOrder::k_innermost) return place(column, row);
    return column / 64 * (panel / 2) + place(row, column % 64);
  }
  static __device__ void fill(T* tiles, int rank, int count) {
    for (int i = rank; i < m * k; i += count) tiles[place(i / k, i % k)] = rounded<T>(element_at(i));
    T* to = tiles + a_bytes / 2;
    for (int i = rank; i < n * k; i += count) to[place_in_b(i % k, i / k)] = rounded<T>(element_at(b_offset + i));
  }
  __device__ void load_fragments(int thread) {
    const int row = thread / 32 * 16 + thread % 32 / 4, column = thread % 4 * 2;
    for (int slice = 0; slice < k / 16; ++slice) {
      for (int i = 0; i < 4; ++i) {
        fragments[slice][i] = element_pair<T>((row + i % 2 * 8) * k + slice * 16 + column + i / 2 * 8);
      }
    }
  }
  /// Start, distance of panels, distance of atoms, in units of 16 bytes; 128-byte swizzle.
  static __device__ unsigned long long descriptor(unsigned address, unsigned panels) {
    return (address & 0x3ffff) >> 4 | static_cast<unsigned long long>(panels >> 4) << 16 |
           static_cast<unsigned long long>(atom >> 4) << 32 | 1ull << 62;
  }
  __device__ void multiply(int slice) {
    constexpr int b_step = Order == BOrder::k_innermost ? 32 : 16 * row_bytes;
    constexpr int n_innermost = Order == BOrder::n_innermost ? 1 : 0;
    const unsigned long long b_slice = b + slice * (b_step >> 4);
    if constexpr (Source == ASource::shared) {
      Wgmma<T, N>::template ss<n_innermost>(d, a + slice * 2, b_slice);
    } else {
      Wgmma<T, N>::template rs<n_innermost>(d, fragments[slice], b_slice);
    }
  }
};

}  // namespace tilemeter::kernels
