#include "kernels/buffer.hpp"

#include <cmath>
#include <numeric>

#include "tests/support/catch.hpp"

using namespace tilemeter::kernels;

TEST_CASE("a buffer returns what was copied into it, and moves leave nothing behind", "[small]") {
  std::vector<int> values(1000);
  std::iota(values.begin(), values.end(), 0);
  Buffer<int> buffer{std::span<const int>(values)};
  Buffer<int> moved(std::move(buffer));
  CHECK(moved.to_host() == values);
  CHECK(buffer.size() == 0);
  CHECK(buffer.data() == nullptr);
  buffer = std::move(moved);
  CHECK(buffer.to_host() == values);
  CHECK_THROWS_AS(buffer.copy_from(std::span<const int>(values).first(999)), std::length_error);
}

TEST_CASE("poison is NaN in every element", "[small]") {
  Buffer<float> buffer(333);
  buffer.poison();
  for (const float value : buffer.to_host()) CHECK(std::isnan(value));
}

TEST_CASE("an empty buffer is legal, an impossible one an error", "[small]") {
  Buffer<float> empty(0);
  empty.poison();
  CHECK(empty.to_host().empty());
  CHECK_THROWS_AS(Buffer<double>(std::size_t{1} << 62), std::bad_array_new_length);
}

TEST_CASE("memory that the device does not have is a CudaError that names the call") {
  CHECK_THROWS_WITH(Buffer<double>(std::size_t{1} << 50),
                    contains("cudaMalloc") && contains("cudaErrorMemoryAllocation"));
}
