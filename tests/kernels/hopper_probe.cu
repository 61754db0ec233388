#include "tests/kernels/hopper_probe.hpp"

#include <stdexcept>

#include "kernels/buffer.hpp"
#include "kernels/present.hpp"
#include "kernels/tensor_map.hpp"
#include "kernels/wgmma.cuh"

using namespace tilemeter;
using namespace tilemeter::kernels;

namespace {

constexpr int tile_words = 64 * 64;

template <int Bytes>
struct alignas(swizzle_atom) Tile {
  unsigned char bytes[Bytes];
};

/// Runs a load by thread 0 and waits for its bytes.
template <class Load>
__device__ void load(std::uint64_t* barrier_memory, int bytes, Load body) {
  const Barrier barrier{shared_address(barrier_memory)};
  if (threadIdx.x == 0) {
    barrier.init(1);
    fence_barrier_init();
    barrier.arrive_expecting(bytes);
    body(barrier);
  }
  __syncthreads();
  barrier.wait(0, "probe: a tile");
}

__global__ void load_tile_words(const __grid_constant__ CUtensorMap map, int row, int col, std::uint16_t* out) {
  if constexpr (hopper) {
    __shared__ Tile<2 * tile_words> tile;
    __shared__ std::uint64_t barrier;
    load(&barrier, sizeof(tile), [&](Barrier b) { load_box(shared_address(&tile), map, {col, row, 0}, b); });
    const auto* words = reinterpret_cast<const std::uint16_t*>(tile.bytes);
    for (int i = threadIdx.x; i < tile_words; i += blockDim.x) out[i] = words[i];
  }
}

__global__ void store_tile_words(const __grid_constant__ CUtensorMap map, int row, int col) {
  if constexpr (hopper) {
    __shared__ Tile<2 * tile_words> tile;
    float c[32];
    const int warp = threadIdx.x / warp_size, lane = threadIdx.x % warp_size;
#pragma unroll
    for (int i = 0; i < 32; ++i) {
      const int tile_row = 16 * warp + lane / 4 + (i % 4 < 2 ? 0 : 8);
      const int tile_col = i / 4 * 8 + lane % 4 * 2 + i % 2;
      c[i] = static_cast<float>(64 * tile_row + tile_col - 2048);
    }
    store_panel<__half>(shared_address(&tile), c, 0);
    fence_async_proxy();
    named_barrier(1, warpgroup_size);
    if (threadIdx.x == 0) {
      store_box(map, {col, row, 0}, shared_address(&tile));
      commit_stores();
      wait_stores();
    }
  }
}

template <class Element, int N, Major MajorB>
__global__ void __launch_bounds__(warpgroup_size)
    multiply(const __grid_constant__ CUtensorMap a_map, const __grid_constant__ CUtensorMap b_map, float* out) {
  if constexpr (hopper) {
    __shared__ Tile<2 * tile_words> a;
    __shared__ Tile<2 * 64 * N> b;
    __shared__ std::uint64_t barrier;
    load(&barrier, sizeof(a) + sizeof(b), [&](Barrier full) {
      load_box(shared_address(&a), a_map, {0, 0, 0}, full);
      if constexpr (MajorB == Major::k) {
        load_box(shared_address(&b), b_map, {0, 0, 0}, full);
      } else {
        for (int panel = 0; panel < N / 64; ++panel) {
          load_box(shared_address(&b) + panel * 2 * tile_words, b_map, {64 * panel, 0, 0}, full);
        }
      }
    });
    float c[N / 2];
    const Descriptor tile_a = k_major(shared_address(&a));
    const Descriptor tile_b =
        MajorB == Major::k ? k_major(shared_address(&b)) : mn_major(shared_address(&b), 2 * tile_words);
    fence_accumulators(c);
#pragma unroll
    for (int k = 0; k < 64; k += 16) {
      multiply_add<Element, N, Major::k, MajorB>(c, from_k<Major::k>(tile_a, k), from_k<MajorB>(tile_b, k), k > 0);
    }
    commit_products();
    wait_products<0>(c);
    const int warp = threadIdx.x / warp_size, lane = threadIdx.x % warp_size;
#pragma unroll
    for (int i = 0; i < N / 2; ++i) {
      const int row = 16 * warp + lane / 4 + (i % 4 < 2 ? 0 : 8), col = i / 4 * 8 + lane % 4 * 2 + i % 2;
      out[row * N + col] = c[i];
    }
  }
}

/// O = P V with P = Q K^T, rounded, which stays in registers. Tiles come whole and O leaves whole, panel by panel.
template <class Element, int Keys, int Columns>
__global__ void __launch_bounds__(warpgroup_size)
    chain(const __grid_constant__ CUtensorMap q_map, const __grid_constant__ CUtensorMap k_map,
          const __grid_constant__ CUtensorMap v_map, const __grid_constant__ CUtensorMap o_map) {
  if constexpr (hopper) {
    extern __shared__ Tile<swizzle_atom> tiles[];
    __shared__ std::uint64_t barrier;
    constexpr int panel = 2 * tile_words, k_bytes = Keys * swizzle_row, v_bytes = Columns / 64 * k_bytes;
    const std::uint32_t q = shared_address(tiles), k = q + panel, v = k + k_bytes, o = v + v_bytes;
    load(&barrier, panel + k_bytes + v_bytes, [&](Barrier full) {
      load_rows(q, q_map, {0, 0}, full);
      load_rows(k, k_map, {0, 0}, full);
      load_rows(v, v_map, {0, 0}, full);
    });
    float s[Keys / 2], c[Columns / 2] = {};
    fence_accumulators(s);
#pragma unroll
    for (int d = 0; d < 64; d += 16) {
      multiply_add<Element, Keys, Major::k, Major::k>(s, from_k<Major::k>(k_major(q), d),
                                                      from_k<Major::k>(k_major(k), d), d > 0);
    }
    commit_products();
    wait_products<0>(s);
    Fragment p[Keys / 16];
#pragma unroll
    for (int i = 0; i < Keys / 4; ++i) p[i / 4][i % 4] = packed<Element>(s[2 * i], s[2 * i + 1]);
    fence_accumulators(c);
#pragma unroll
    for (int step = 0; step < Keys / 16; ++step) {
      multiply_add<Element, Columns, Major::mn>(c, p[step], from_k<Major::mn>(mn_major(v, k_bytes), step * 16), true);
    }
    commit_products();
    wait_products<0>(c);
#pragma unroll
    for (int i = 0; i < Columns / 64; ++i) store_panel<Element>(o + i * panel, c, i * 32);
    fence_async_proxy();
    named_barrier(1, warpgroup_size);
    if (threadIdx.x == 0) {
      store_rows(o_map, {0, 0}, o);
      commit_stores();
      wait_stores();
    }
  }
}

/// Copies rows of a matrix to the same rows of another by way of a tile.
__global__ void copy_matrix_rows(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to,
                                 int row, int matrix) {
  if constexpr (hopper) {
    __shared__ Tile<4 * tile_words> tile;
    __shared__ std::uint64_t barrier;
    load(&barrier, sizeof(tile), [&](Barrier b) { load_rows(shared_address(&tile), from, {row, matrix}, b); });
    if (threadIdx.x == 0) {
      store_rows(to, {row, matrix}, shared_address(&tile));
      commit_stores();
      wait_stores();
    }
  }
}

CUtensorMap map_of(DType type, const void* memory, int rows, int cols, int box_rows) {
  require_hopper("of a test");
  const BoxDimension dimensions[] = {{.size = cols, .stride = 1, .box = 64},
                                     {.size = rows, .stride = cols, .box = box_rows},
                                     {.size = 1, .stride = Count{rows} * cols, .box = 1}};
  return tensor_map(type, memory, dimensions);
}

template <class Element>
std::vector<Element> rounded(const std::vector<float>& values) {
  std::vector<Element> elements;
  for (const float value : values) elements.push_back(Element(value));
  return elements;
}

std::vector<float> transpose(const std::vector<float>& matrix, int rows, int cols) {
  std::vector<float> transposed(matrix.size());
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < cols; ++j) transposed[j * rows + i] = matrix[i * cols + j];
  }
  return transposed;
}

template <class Element, int N>
std::vector<float> product_of(DType type, bool transposed, const std::vector<float>& a, const std::vector<float>& b) {
  const std::vector<Element> b_elements = rounded<Element>(transposed ? transpose(b, 64, N) : b);
  const Buffer<Element> a_memory{std::span<const Element>(rounded<Element>(a))}, b_memory{std::span(b_elements)};
  Buffer<float> c(64 * N);
  c.poison();
  const CUtensorMap a_map = map_of(type, a_memory.data(), 64, 64, 64);
  const CUtensorMap b_map =
      transposed ? map_of(type, b_memory.data(), N, 64, N) : map_of(type, b_memory.data(), 64, N, 64);
  if (transposed) {
    multiply<Element, N, Major::k><<<1, warpgroup_size>>>(a_map, b_map, c.data());
  } else if constexpr (N % 64 == 0) {
    multiply<Element, N, Major::mn><<<1, warpgroup_size>>>(a_map, b_map, c.data());
  } else {
    throw std::invalid_argument("no product of this width and layout");
  }
  TILEMETER_CHECK(cudaGetLastError());
  return c.to_host();
}

template <class Element, int Keys, int Columns>
std::vector<float> chain_of(DType type, const std::vector<float>& q, const std::vector<float>& k,
                            const std::vector<float>& v) {
  require_hopper("of a test");
  const Buffer<Element> q_memory{std::span<const Element>(rounded<Element>(q))};
  const Buffer<Element> k_memory{std::span<const Element>(rounded<Element>(k))};
  const Buffer<Element> v_memory{std::span<const Element>(rounded<Element>(v))};
  Buffer<Element> o(64 * Columns);
  o.poison();
  constexpr int shared = 2 * (tile_words + Keys * 64 + (Keys + 64) * Columns);
  TILEMETER_CHECK(
      cudaFuncSetAttribute(chain<Element, Keys, Columns>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
  chain<Element, Keys, Columns><<<1, warpgroup_size, shared>>>(
      panel_map(type, q_memory.data(), 1, 64, 64, 64), panel_map(type, k_memory.data(), 1, Keys, 64, Keys),
      panel_map(type, v_memory.data(), 1, Keys, Columns, Keys), panel_map(type, o.data(), 1, 64, Columns, 64));
  TILEMETER_CHECK(cudaGetLastError());
  std::vector<float> values;
  for (const Element value : o.to_host()) values.push_back(static_cast<float>(value));
  return values;
}

template <class Element>
std::vector<float> chain_of(DType type, int keys, int columns, const std::vector<float>& q, const std::vector<float>& k,
                            const std::vector<float>& v) {
  if (keys == 128 && columns == 64) return chain_of<Element, 128, 64>(type, q, k, v);
  if (keys == 128 && columns == 128) return chain_of<Element, 128, 128>(type, q, k, v);
  if (keys == 80 && columns == 256) return chain_of<Element, 80, 256>(type, q, k, v);
  if (keys == 160 && columns == 128) return chain_of<Element, 160, 128>(type, q, k, v);
  throw std::invalid_argument("no chain of this size");
}

template <class Element>
std::vector<float> product_of(DType type, int n, bool transposed, const std::vector<float>& a,
                              const std::vector<float>& b) {
  if (n == 64) return product_of<Element, 64>(type, transposed, a, b);
  if (n == 128) return product_of<Element, 128>(type, transposed, a, b);
  if (n == 192) return product_of<Element, 192>(type, transposed, a, b);
  if (n == 256) return product_of<Element, 256>(type, transposed, a, b);
  if (n == 80) return product_of<Element, 80>(type, transposed, a, b);
  if (n == 160) return product_of<Element, 160>(type, transposed, a, b);
  if constexpr (std::is_same_v<Element, __nv_bfloat16>) {
    if (n == 224) return product_of<Element, 224>(type, transposed, a, b);
  }
  throw std::invalid_argument("no product of this width");
}

}  // namespace

std::vector<std::uint16_t> loaded_tile(const WordMatrix& matrix, int row, int col) {
  const Buffer<std::uint16_t> memory{std::span<const std::uint16_t>(matrix.words)};
  Buffer<std::uint16_t> tile(tile_words);
  tile.poison();
  load_tile_words<<<1, warpgroup_size>>>(map_of(DType::fp16, memory.data(), matrix.rows, matrix.cols, 64), row, col,
                                         tile.data());
  TILEMETER_CHECK(cudaGetLastError());
  return tile.to_host();
}

WordMatrix stored_tile(int rows, int cols, int row, int col) {
  Buffer<std::uint16_t> memory(static_cast<std::size_t>(rows) * cols);
  memory.poison();
  store_tile_words<<<1, warpgroup_size>>>(map_of(DType::fp16, memory.data(), rows, cols, 64), row, col);
  TILEMETER_CHECK(cudaGetLastError());
  return {rows, cols, memory.to_host()};
}

WordMatrix copied_rows(const WordMatrix& from, int matrices, int row, int matrix) {
  require_hopper("of a test");
  const Buffer<std::uint16_t> memory{std::span<const std::uint16_t>(from.words)};
  Buffer<std::uint16_t> copy(from.words.size());
  copy.poison();
  const int rows = from.rows / matrices;
  copy_matrix_rows<<<1, warpgroup_size>>>(panel_map(DType::fp16, memory.data(), matrices, rows, from.cols, 64),
                                          panel_map(DType::fp16, copy.data(), matrices, rows, from.cols, 64), row,
                                          matrix);
  TILEMETER_CHECK(cudaGetLastError());
  return {from.rows, from.cols, copy.to_host()};
}

std::vector<float> chained(DType type, int keys, int columns, const std::vector<float>& q, const std::vector<float>& k,
                           const std::vector<float>& v) {
  return type == DType::bf16 ? chain_of<__nv_bfloat16>(type, keys, columns, q, k, v)
                             : chain_of<__half>(type, keys, columns, q, k, v);
}

std::vector<float> product(DType type, int n, bool transposed, const std::vector<float>& a,
                           const std::vector<float>& b) {
  return type == DType::bf16 ? product_of<__nv_bfloat16>(type, n, transposed, a, b)
                             : product_of<__half>(type, n, transposed, a, b);
}
