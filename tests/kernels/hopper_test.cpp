// The wrappers of Hopper's instructions against their stated layouts.
#include <cuda_fp16.h>

#include <random>
#include <utility>

#include "tests/kernels/hopper_probe.hpp"
#include "tests/support/catch.hpp"

using namespace tilemeter;

namespace {

constexpr std::uint16_t poison = 0xFFFF;

WordMatrix numbered(int rows, int cols) {
  WordMatrix matrix{rows, cols, {}};
  for (int i = 0; i < rows * cols; ++i) matrix.words.push_back(static_cast<std::uint16_t>(i * 7 + 1));
  return matrix;
}

std::uint16_t at(const WordMatrix& matrix, int row, int col) {
  if (row >= matrix.rows || col >= matrix.cols) return 0;
  return matrix.words[static_cast<std::size_t>(row * matrix.cols + col)];
}

/// Place of an element in a swizzled tile, in words.
std::size_t place(int row, int col) {
  return static_cast<std::size_t>(row * 64 + ((col / 8) ^ (row % 8)) * 8 + col % 8);
}

std::uint16_t half_bits(int value) {
  const __half_raw raw = __half(static_cast<float>(value));
  return raw.x;
}

/// Small integers, whose products and sums are exact.
std::vector<float> integers(std::mt19937& random, int count, int largest = 15) {
  std::uniform_int_distribution<int> distribution(-largest, largest);
  std::vector<float> values;
  for (int i = 0; i < count; ++i) values.push_back(static_cast<float>(distribution(random)));
  return values;
}

}  // namespace

TEST_CASE("a loaded tile is swizzled, and zero outside the tensor") {
  const WordMatrix matrix = numbered(200, 136);
  for (const auto& [row, col] : {std::pair{0, 0}, {64, 64}, {7, 8}, {170, 64}, {64, 128}, {190, 120}, {200, 136}}) {
    INFO("from row " << row << ", column " << col);
    const std::vector<std::uint16_t> tile = loaded_tile(matrix, row, col);
    std::size_t wrong = 0;
    for (int i = 0; i < 64; ++i) {
      for (int j = 0; j < 64; ++j) wrong += tile[place(i, j)] == at(matrix, row + i, col + j) ? 0 : 1;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("a stored tile of accumulators arrives row by row, and nothing is written outside the tensor") {
  for (const auto& [row, col] : {std::pair{0, 0}, {64, 64}, {3, 24}, {150, 64}, {64, 120}, {199, 128}, {200, 0}}) {
    INFO("from row " << row << ", column " << col);
    const WordMatrix matrix = stored_tile(200, 136, row, col);
    std::size_t wrong = 0;
    for (int i = 0; i < matrix.rows; ++i) {
      for (int j = 0; j < matrix.cols; ++j) {
        const bool inside = i >= row && i < row + 64 && j >= col && j < col + 64;
        const std::uint16_t expected = inside ? half_bits(64 * (i - row) + j - col - 2048) : poison;
        wrong += at(matrix, i, j) == expected ? 0 : 1;
      }
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("wgmma multiplies, for every width, type and layout that kernels use") {
  constexpr unsigned seed = 9;
  std::mt19937 random(seed);
  for (const DType type : {DType::fp16, DType::bf16}) {
    for (const int n : product_widths) {
      for (const bool transposed : {false, true}) {
        INFO(name_of(type) << ", 64 x " << n << (transposed ? ", k contiguous" : ", n contiguous"));
        const std::vector<float> a = integers(random, 64 * 64), b = integers(random, 64 * n);
        const std::vector<float> c = product(type, n, transposed, a, b);
        std::size_t wrong = 0;
        for (int i = 0; i < 64; ++i) {
          for (int j = 0; j < n; ++j) {
            double sum = 0;
            for (int k = 0; k < 64; ++k) sum += double{a[i * 64 + k]} * b[k * n + j];
            wrong += c[static_cast<std::size_t>(i * n + j)] == sum ? 0 : 1;
          }
        }
        CHECK(wrong == 0);
      }
    }
  }
}

TEST_CASE("whole rows of a matrix go to a tile and back, and no others") {
  constexpr int matrices = 3, rows = 100;
  const WordMatrix from = numbered(matrices * rows, 128);
  for (const auto& [row, matrix] : {std::pair{0, 0}, {17, 1}, {64, 1}, {90, 2}, {100, 0}}) {
    INFO("from row " << row << " of matrix " << matrix);
    const WordMatrix copy = copied_rows(from, matrices, row, matrix);
    std::size_t wrong = 0;
    for (int i = 0; i < matrices * rows; ++i) {
      const int own = i - matrix * rows;
      const bool inside = own >= row && own < row + 64 && own < rows;
      for (int j = 0; j < 128; ++j) wrong += at(copy, i, j) == (inside ? at(from, i, j) : poison) ? 0 : 1;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("accumulators of one product are the operand of the next") {
  std::mt19937 random(10);
  for (const DType type : {DType::fp16, DType::bf16}) {
    for (const auto& [keys, columns] : chain_sizes) {
      INFO(name_of(type) << ", " << keys << " keys, " << columns << " columns");
      const std::vector<float> q = integers(random, 64 * 64, 1), k = integers(random, keys * 64, 1);
      std::vector<float> v(static_cast<std::size_t>(keys * columns), 0);
      for (int j = 0; j < columns; ++j) v[static_cast<std::size_t>((j * 7 % keys) * columns + j)] = j % 2 == 0 ? 1 : -2;
      const std::vector<float> o = chained(type, keys, columns, q, k, v);
      std::size_t wrong = 0;
      for (int i = 0; i < 64; ++i) {
        for (int j = 0; j < columns; ++j) {
          double sum = 0;
          for (int d = 0; d < 64; ++d) sum += double{q[i * 64 + d]} * k[j * 7 % keys * 64 + d];
          wrong += o[static_cast<std::size_t>(i * columns + j)] == sum * (j % 2 == 0 ? 1 : -2) ? 0 : 1;
        }
      }
      CHECK(wrong == 0);
    }
  }
}
