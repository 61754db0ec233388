// What blocks of a cluster exchange, additions in memory, transposed matrices, and products of other shapes.
#include <random>
#include <utility>

#include "tests/kernels/hopper_exchange_probe.hpp"
#include "tests/support/catch.hpp"

using namespace tilemeter;

namespace {

/// Small integers, which all types hold exactly, and whose sums are exact.
std::vector<float> whole_numbers(std::mt19937& random, int count, int largest) {
  std::uniform_int_distribution<int> distribution(-largest, largest);
  std::vector<float> values;
  for (int i = 0; i < count; ++i) values.push_back(static_cast<float>(distribution(random)));
  return values;
}

/// Elements of `c` that are not those of a b^T, of 64 x depth and n x depth elements.
std::size_t wrong_sums(const std::vector<float>& c, const std::vector<float>& a, const std::vector<float>& b, int n,
                       int depth) {
  std::size_t wrong = 0;
  for (int i = 0; i < 64; ++i) {
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int k = 0; k < depth; ++k) {
        sum += double{a[static_cast<std::size_t>(i * depth + k)]} * b[static_cast<std::size_t>(j * depth + k)];
      }
      wrong += c[static_cast<std::size_t>(i * n + j)] == sum ? 0 : 1;
    }
  }
  return wrong;
}

}  // namespace

TEST_CASE("each block of a cluster gets the panels that both fetch") {
  WordMatrix matrix{64, 128, {}};
  for (int i = 0; i < 64 * 128; ++i) matrix.words.push_back(static_cast<std::uint16_t>(i * 7 + 1));
  for (const std::vector<std::uint16_t>& tile : multicast_tiles(matrix)) {
    std::size_t wrong = 0;
    for (int i = 0; i < 64; ++i) {
      for (int j = 0; j < 128; ++j) {
        const int place = j / 64 * 64 * 64 + i * 64 + ((j % 64 / 8) ^ (i % 8)) * 8 + j % 8;
        wrong += tile[static_cast<std::size_t>(place)] == matrix.words[static_cast<std::size_t>(i * 128 + j)] ? 0 : 1;
      }
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("panels are added to memory where they belong, and nowhere else") {
  constexpr int rows = 150;
  std::mt19937 random(11);
  const std::vector<float> before = whole_numbers(random, rows * 64, 1000);
  const std::vector<float> sums = whole_numbers(random, 64 * 64, 1000);
  for (const int row : {0, 5, 86, 120}) {
    INFO("from row " << row);
    const std::vector<float> after = added_panels(before, sums, rows, row);
    std::size_t wrong = 0;
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < 64; ++j) {
        const auto at = static_cast<std::size_t>(i * 64 + j);
        const bool inside = i >= row && i < row + 64;
        const float added = inside ? sums[static_cast<std::size_t>((i - row) * 64 + j)] : 0;
        wrong += after[at] == before[at] + added ? 0 : 1;
      }
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("matrices that a warp holds are stored transposed") {
  const std::vector<std::uint16_t> words = transposed_matrices();
  std::size_t wrong = 0;
  for (int m = 0; m < 4; ++m) {
    for (int r = 0; r < 8; ++r) {
      for (int c = 0; c < 8; ++c)
        wrong += words[static_cast<std::size_t>(64 * m + 8 * r + c)] == 64 * m + 8 * c + r ? 0 : 1;
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("a block reads the shared memory of another of its cluster") {
  const std::vector<float> numbers = read_remotely();
  for (int i = 0; i < 128; ++i) CHECK(numbers[static_cast<std::size_t>(i)] == static_cast<float>(1000 + i));
}

TEST_CASE("wgmma multiplies widths of key tiles that are no multiple of 64") {
  std::mt19937 random(12);
  for (const DType type : {DType::fp16, DType::bf16}) {
    for (const int n : odd_widths) {
      if (n == 224 && type == DType::fp16) continue;  // weight layers have bf16 alone
      INFO(name_of(type) << ", 64 x " << n);
      const std::vector<float> a = whole_numbers(random, 64 * 64, 15), b = whole_numbers(random, 64 * n, 15);
      const std::vector<float> c = product(type, n, true, a, b);
      std::size_t wrong = 0;
      for (int i = 0; i < 64; ++i) {
        for (int j = 0; j < n; ++j) {
          double sum = 0;
          for (int k = 0; k < 64; ++k) {
            sum += double{a[static_cast<std::size_t>(i * 64 + k)]} * b[static_cast<std::size_t>(k * n + j)];
          }
          wrong += c[static_cast<std::size_t>(i * n + j)] == sum ? 0 : 1;
        }
      }
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("wgmma multiplies 16 columns with its first operand in registers") {
  std::mt19937 random(13);
  const std::vector<float> a = whole_numbers(random, 64 * 64, 15), b = whole_numbers(random, narrow_width * 64, 15);
  CHECK(wrong_sums(narrow_product(a, b), a, b, narrow_width, 64) == 0);
}

TEST_CASE("wgmma multiplies e4m3, with its first operand in shared memory and in registers") {
  std::mt19937 random(14);
  // Sums of 128 products of up to 4 x 4 stay below 2^11, which the shorter sums of fp8 products hold exactly.
  const auto check = [&](int n, bool from_registers) {
    INFO("64 x " << n << (from_registers ? ", from registers" : ", from shared memory"));
    const std::vector<float> a = whole_numbers(random, 64 * 128, 4), b = whole_numbers(random, n * 128, 4);
    CHECK(wrong_sums(e4m3_product(n, from_registers, a, b), a, b, n, 128) == 0);
  };
  for (const int n : e4m3_widths) check(n, false);
  for (const int n : e4m3_register_widths) check(n, true);
}
