// Loops of mma.sync m16n8k16, in independent sums of a known product.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <array>
#include <cmath>

#include "kernels/probe_cycles.cuh"

namespace tilemeter::kernels {

/// Element `index` of the matrices: near a normal distribution of spread 1, the same on host and GPU.
__host__ __device__ inline float element_at(unsigned index) {
  const unsigned a = mixed(2 * index + 1), b = mixed(2 * index + 2);
  return (static_cast<float>((a & 0xffff) + (a >> 16) + (b & 0xffff)) - 98303.0f) / 32768.0f;
}
template <class T>
__host__ __device__ T rounded(float value) {
  if constexpr (std::is_same_v<T, __half>) {
    return __float2half_rn(value);
  } else {
    return __float2bfloat16_rn(value);
  }
}
/// Two neighbouring elements in a register, the first in the lower half.
template <class T>
__device__ unsigned element_pair(unsigned index) {
  const T pair[2] = {rounded<T>(element_at(index)), rounded<T>(element_at(index + 1))};
  return *reinterpret_cast<const unsigned*>(pair);
}
template <class T>
double element_value(unsigned index) {
  return static_cast<double>(static_cast<float>(rounded<T>(element_at(index))));
}

/// `times` A B, row-major: A (m x k) has the elements from 0 on, B (k x n), by columns, those from `b_offset` on.
template <class T>
std::vector<double> summed_products(int m, int n, int k, unsigned b_offset, double times) {
  std::vector<double> product(static_cast<std::size_t>(m * n));
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int l = 0; l < k; ++l) sum += element_value<T>(i * k + l) * element_value<T>(b_offset + j * k + l);
      product[static_cast<std::size_t>(i * n + j)] = sum * times;
    }
  }
  return product;
}

/// sqrt(sum (found - expected)^2 / sum expected^2), NaN where something found is.
inline double relative_error(std::span<const float> found, std::span<const double> expected) {
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    difference += (found[i] - expected[i]) * (found[i] - expected[i]);
    size += expected[i] * expected[i];
  }
  return std::sqrt(difference / size);
}

/// Sums of many equal products lose more than their operands' precision: the units cut sums off below their last bit.
inline constexpr double product_tolerance = 2e-3;

inline void require_product(std::span<const float> found, std::span<const double> expected, const std::string& what) {
  const double error = relative_error(found, expected);
  if (error <= product_tolerance) return;  // not so for a NaN
  throw ProbeWrong(what + ": the product is off by " + std::to_string(error) + " of its size");
}

/// `Chains` sums of A B, each added to `repeats` times in a step. A is 16 x 16, B 16 x 8, the same in all warps.
template <class T, int Chains>
struct MmaChains {
  static constexpr int most_threads = 1024;
  static constexpr int repeats = 8;
  static constexpr int m = 16, n = 8, k = 16;
  static constexpr unsigned b_offset = 1000;

  static constexpr int shared_bytes = 0;
  /// Results of so many threads.
  static constexpr __host__ __device__ int products_of(int threads) { return threads / 32; }
  static constexpr double flops(int threads, int iterations) {
    return 2.0 * m * n * k * Chains * repeats * products_of(threads) * iterations;
  }

  float* results = nullptr;  ///< m n floats for every warp: the sum of its chains
  unsigned a[4] = {}, b[2] = {};
  float sums[Chains][4] = {};
  int threads = 0;

  __device__ void prepare(int rank, int count) {
    threads = count;
    const int row = rank % 32 / 4, column = rank % 4 * 2;
    for (int i = 0; i < 4; ++i) a[i] = element_pair<T>((row + i % 2 * 8) * k + column + i / 2 * 8);
    for (int i = 0; i < 2; ++i) b[i] = element_pair<T>(b_offset + row * k + column + i * 8);  // B by columns
  }
  __device__ void step(int) {
#pragma unroll
    for (int i = 0; i < repeats; ++i) {
#pragma unroll
      for (auto& d : sums) multiply(d);
    }
  }
  __device__ void drain() {}
  __device__ void finish(int rank, int block) {
    float* to = results + (block * products_of(threads) + rank / 32) * m * n;
    const int row = rank % 32 / 4, column = rank % 4 * 2;
    for (int i = 0; i < 4; ++i) {
      float total = 0;
      for (const auto& d : sums) total += d[i];
      to[(row + i / 2 * 8) * n + column + i % 2] = total;
    }
  }

  static std::vector<double> expected(int iterations) {
    return summed_products<T>(m, n, k, b_offset, double{Chains} * repeats * iterations);
  }

 private:
  __device__ void multiply(float (&d)[4]) {
    if constexpr (std::is_same_v<T, __half>) {
      asm volatile(
          "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, "
          "%2, %3};"
          : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
          : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    } else {
      asm volatile(
          "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, "
          "%2, %3};"
          : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
          : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
  }
};

}  // namespace tilemeter::kernels
