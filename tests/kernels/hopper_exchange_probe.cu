#include "tests/kernels/hopper_exchange_probe.hpp"

#include <cuda_fp8.h>

#include <cstring>
#include <stdexcept>

#include "kernels/buffer.hpp"
#include "kernels/present.hpp"
#include "kernels/tensor_map.hpp"
#include "kernels/wgmma.cuh"

using namespace tilemeter;
using namespace tilemeter::kernels;

namespace {

constexpr int panel_words = 64 * 64;
constexpr int panel_bytes = 2 * panel_words;
constexpr int e4m3_depth = 128;  ///< of a product: a swizzled row

template <int Bytes>
struct alignas(swizzle_atom) Memory {
  unsigned char bytes[Bytes];
};

/// Thread 0 prepares a barrier that expects `bytes`.
__device__ Barrier barrier_expecting(std::uint64_t* memory, int bytes) {
  const Barrier barrier{shared_address(memory)};
  if (threadIdx.x == 0) {
    barrier.init(1);
    fence_barrier_init();
    barrier.arrive_expecting(bytes);
  }
  return barrier;
}

__global__ void __cluster_dims__(2) copy_to_both(const __grid_constant__ CUtensorMap map, std::uint16_t* out) {
  if constexpr (hopper) {
    __shared__ Memory<2 * panel_bytes> tile;
    __shared__ std::uint64_t memory;
    const Barrier full = barrier_expecting(&memory, sizeof(tile));
    cluster_barrier();
    const int block = block_of_cluster();
    if (threadIdx.x == 0) load_panels(shared_address(&tile) + block * panel_bytes, map, {0, 0}, block, full, 3);
    full.wait(0, "probe: panels");
    const auto* words = reinterpret_cast<const std::uint16_t*>(tile.bytes);
    for (int i = threadIdx.x; i < 2 * panel_words; i += blockDim.x) out[block * 2 * panel_words + i] = words[i];
    cluster_barrier();
  }
}

/// The sums come as swizzled panels of 64 rows of 32 numbers.
__global__ void add_two_panels(const __grid_constant__ CUtensorMap map, const float* sums, int row) {
  if constexpr (hopper) {
    __shared__ Memory<2 * panel_bytes> tile;
    auto* numbers = reinterpret_cast<float*>(tile.bytes);
    for (int i = threadIdx.x; i < 64 * 64; i += blockDim.x) {
      const int r = i / 64, panel = i % 64 / 32, column = i % 32;
      numbers[panel * 64 * 32 + r * 32 + ((column / 4) ^ (r % 8)) * 4 + column % 4] = sums[i];
    }
    fence_async_proxy();
    __syncthreads();
    if (threadIdx.x == 0) {
      for (int panel = 0; panel < 2; ++panel) {
        add_panels(map, {row, 0}, panel, shared_address(&tile) + panel * panel_bytes);
      }
      commit_stores();
      wait_stores();
    }
  }
}

__global__ void transpose_matrices(std::uint16_t* out) {
  if constexpr (hopper) {
    __shared__ Memory<4 * 64 * 2> matrices;
    const int lane = threadIdx.x, row = lane / 4, column = 2 * (lane % 4);
    std::uint32_t held[4];
    for (int m = 0; m < 4; ++m) {
      const unsigned first = 64 * m + 8 * row + column;
      held[m] = first | (first + 1) << 16;
    }
    store_matrices_transposed(shared_address(&matrices) + lane * 16, held);
    __syncwarp();
    const auto* words = reinterpret_cast<const std::uint16_t*>(matrices.bytes);
    for (int i = lane; i < 4 * 64; i += warp_size) out[i] = words[i];
  }
}

__global__ void __cluster_dims__(2) read_other_block(float* out) {
  if constexpr (hopper) {
    __shared__ float4 numbers[32];
    const float first = static_cast<float>(1000 * block_of_cluster() + 4 * static_cast<int>(threadIdx.x));
    numbers[threadIdx.x] = {first, first + 1, first + 2, first + 3};
    cluster_barrier();
    if (block_of_cluster() == 0) {
      const float4 read = load_remote(shared_address(&numbers[threadIdx.x]), 1);
      reinterpret_cast<float4*>(out)[threadIdx.x] = read;
    }
    cluster_barrier();
  }
}

/// Accumulators of a warpgroup to 64 x N numbers.
template <int N>
__device__ void write_sums(const float (&c)[N / 2], float* out) {
  const int warp = threadIdx.x / warp_size, lane = threadIdx.x % warp_size;
#pragma unroll
  for (int i = 0; i < N / 2; ++i) {
    const int row = 16 * warp + lane / 4 + (i % 4 < 2 ? 0 : 8), col = i / 4 * 8 + lane % 4 * 2 + i % 2;
    out[row * N + col] = c[i];
  }
}

/// Words of four rows of a fragment: `word` is the number of 32-bit words of a row, and a step is eight of them.
__device__ void load_fragment(Fragment& fragment, const std::uint32_t* a, int row_words, int step) {
  const int warp = threadIdx.x / warp_size, lane = threadIdx.x % warp_size;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int row = 16 * warp + lane / 4 + i % 2 * 8, word = 8 * step + lane % 4 + i / 2 * 4;
    fragment[i] = a[row * row_words + word];
  }
}

__global__ void __launch_bounds__(warpgroup_size)
    multiply_narrow(const std::uint32_t* a, const __grid_constant__ CUtensorMap b_map, float* out) {
  if constexpr (hopper) {
    constexpr int n = narrow_width;
    __shared__ Memory<n * swizzle_row> b;
    __shared__ std::uint64_t memory;
    const Barrier full = barrier_expecting(&memory, sizeof(b));
    if (threadIdx.x == 0) load_box(shared_address(&b), b_map, {0, 0, 0}, full);
    __syncthreads();
    full.wait(0, "probe: b");
    float c[n / 2];
    Fragment fragments[4];
#pragma unroll
    for (int step = 0; step < 4; ++step) load_fragment(fragments[step], a, 32, step);
    fence_accumulators(c);
#pragma unroll
    for (int step = 0; step < 4; ++step) {
      multiply_add<__nv_bfloat16, n, Major::k>(c, fragments[step],
                                               from_k<Major::k>(k_major(shared_address(&b)), step * 16), step > 0);
    }
    commit_products();
    wait_products<0>(c);
    write_sums<n>(c, out);
  }
}

template <int N, bool FromRegisters>
__global__ void __launch_bounds__(warpgroup_size)
    multiply_e4m3(const std::uint32_t* a_words, const __grid_constant__ CUtensorMap a_map,
                  const __grid_constant__ CUtensorMap b_map, float* out) {
  if constexpr (hopper) {
    __shared__ Memory<64 * e4m3_depth> a;
    __shared__ Memory<N * e4m3_depth> b;
    __shared__ std::uint64_t memory;
    const Barrier full = barrier_expecting(&memory, sizeof(a) + sizeof(b));
    if (threadIdx.x == 0) {
      load_box(shared_address(&a), a_map, {0, 0, 0}, full);
      load_box(shared_address(&b), b_map, {0, 0, 0}, full);
    }
    __syncthreads();
    full.wait(0, "probe: a and b");
    float c[N / 2];
    Fragment fragments[e4m3_depth / 32];
#pragma unroll
    for (int step = 0; step < e4m3_depth / 32; ++step) load_fragment(fragments[step], a_words, e4m3_depth / 4, step);
    fence_accumulators(c);
#pragma unroll
    for (int step = 0; step < e4m3_depth / 32; ++step) {
      const Descriptor tile_b = k_major_rows<e4m3_depth>(shared_address(&b)) + 2 * step;
      if constexpr (FromRegisters) {
        multiply_add_e4m3<N>(c, fragments[step], tile_b, step > 0);
      } else {
        multiply_add_e4m3<N>(c, k_major_rows<e4m3_depth>(shared_address(&a)) + 2 * step, tile_b, step > 0);
      }
    }
    commit_products();
    wait_products<0>(c);
    write_sums<N>(c, out);
  }
}

std::vector<std::uint8_t> as_e4m3(const std::vector<float>& values) {
  std::vector<std::uint8_t> bytes;
  for (const float value : values) bytes.push_back(__nv_fp8_e4m3(value).__x);
  return bytes;
}

template <int N, bool FromRegisters>
std::vector<float> e4m3_product_of(const std::vector<float>& a, const std::vector<float>& b) {
  const std::vector<std::uint8_t> a_bytes = as_e4m3(a), b_bytes = as_e4m3(b);
  const Buffer<std::uint8_t> a_memory{std::span(a_bytes)}, b_memory{std::span(b_bytes)};
  Buffer<float> c(64 * N);
  c.poison();
  multiply_e4m3<N, FromRegisters><<<1, warpgroup_size>>>(reinterpret_cast<const std::uint32_t*>(a_memory.data()),
                                                         matrix_map(DType::fp8, a_memory.data(), 1, 64, e4m3_depth, 64),
                                                         matrix_map(DType::fp8, b_memory.data(), 1, N, e4m3_depth, N),
                                                         c.data());
  TILEMETER_CHECK(cudaGetLastError());
  return c.to_host();
}

}  // namespace

std::array<std::vector<std::uint16_t>, 2> multicast_tiles(const WordMatrix& matrix) {
  require_hopper("of a test");
  const Buffer<std::uint16_t> memory{std::span<const std::uint16_t>(matrix.words)};
  Buffer<std::uint16_t> tiles(4 * panel_words);
  tiles.poison();
  copy_to_both<<<2, warpgroup_size>>>(panel_map(DType::fp16, memory.data(), 1, 64, 128, 64, 2), tiles.data());
  TILEMETER_CHECK(cudaGetLastError());
  const std::vector<std::uint16_t> words = tiles.to_host();
  return {std::vector(words.begin(), words.begin() + 2 * panel_words),
          std::vector(words.begin() + 2 * panel_words, words.end())};
}

std::vector<float> added_panels(const std::vector<float>& memory, const std::vector<float>& sums, int rows, int row) {
  require_hopper("of a test");
  Buffer<float> numbers{std::span<const float>(memory)};
  const Buffer<float> added{std::span<const float>(sums)};
  add_two_panels<<<1, warpgroup_size>>>(panel_map(DType::fp32, numbers.data(), 1, rows, 64, 64, 2), added.data(), row);
  TILEMETER_CHECK(cudaGetLastError());
  return numbers.to_host();
}

std::vector<std::uint16_t> transposed_matrices() {
  require_hopper("of a test");
  Buffer<std::uint16_t> words(4 * 64);
  words.poison();
  transpose_matrices<<<1, warp_size>>>(words.data());
  TILEMETER_CHECK(cudaGetLastError());
  return words.to_host();
}

std::vector<float> read_remotely() {
  require_hopper("of a test");
  Buffer<float> numbers(128);
  numbers.poison();
  read_other_block<<<2, 32>>>(numbers.data());
  TILEMETER_CHECK(cudaGetLastError());
  return numbers.to_host();
}

std::vector<float> narrow_product(const std::vector<float>& a, const std::vector<float>& b) {
  require_hopper("of a test");
  std::vector<__nv_bfloat16> a_elements, b_elements;
  for (const float value : a) a_elements.push_back(__nv_bfloat16(value));
  for (const float value : b) b_elements.push_back(__nv_bfloat16(value));
  const Buffer<__nv_bfloat16> a_memory{std::span<const __nv_bfloat16>(a_elements)};
  const Buffer<__nv_bfloat16> b_memory{std::span<const __nv_bfloat16>(b_elements)};
  Buffer<float> c(64 * narrow_width);
  c.poison();
  multiply_narrow<<<1, warpgroup_size>>>(reinterpret_cast<const std::uint32_t*>(a_memory.data()),
                                         matrix_map(DType::bf16, b_memory.data(), 1, narrow_width, 64, narrow_width),
                                         c.data());
  TILEMETER_CHECK(cudaGetLastError());
  return c.to_host();
}

std::vector<float> e4m3_product(int n, bool from_registers, const std::vector<float>& a, const std::vector<float>& b) {
  require_hopper("of a test");
  if (n == 64) return from_registers ? e4m3_product_of<64, true>(a, b) : e4m3_product_of<64, false>(a, b);
  if (n == 128) return from_registers ? e4m3_product_of<128, true>(a, b) : e4m3_product_of<128, false>(a, b);
  if (n == 192 && !from_registers) return e4m3_product_of<192, false>(a, b);
  if (n == 256 && from_registers) return e4m3_product_of<256, true>(a, b);
  throw std::invalid_argument("no product of this width");
}
