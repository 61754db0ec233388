// Comparisons on the GPU.
#include <algorithm>
#include <numeric>

#include "kernels/gate.hpp"
#include "kernels/typed_memory.cuh"

namespace tilemeter::kernels {
namespace {

constexpr int threads = 256;
constexpr Count most_blocks = 1024;

struct Compared {
  TypedMemory values;
  const Count* rows;
  Count cols, size;
  const double* exact;
  const double* rounded;  ///< null where there is none
};

__device__ void add_error(ErrorSums& sums, double value, double exact, double rounded) {
  ++sums.compared;
  if (value == exact && isinf(exact)) return;
  if (!isfinite(value) || !isfinite(exact)) {
    ++sums.not_finite;
    return;
  }
  const double error = fabs(value - exact);
  sums.squared_error += error * error;
  sums.squared_norm += exact * exact;
  sums.max_error = fmax(sums.max_error, error);
  sums.max_relative_error = fmax(sums.max_relative_error, error / fmax(1.0, fabs(exact)));
  sums.max_rounding_error = fmax(sums.max_rounding_error, fabs(rounded - exact));
}

/// Every thread leaves its own sums.
__global__ void compare(Compared what, ErrorSums* to) {
  const Count thread = blockIdx.x * Count{threads} + threadIdx.x;
  ErrorSums sums;
  for (Count i = thread; i < what.size; i += Count{gridDim.x} * threads) {
    const double exact = what.exact[i];
    add_error(sums, what.values.at(what.rows[i / what.cols] * what.cols + i % what.cols), exact,
              what.rounded == nullptr ? exact : what.rounded[i]);
  }
  to[thread] = sums;
}

__global__ void find_nan(TypedMemory values, Count elements, Count* to) {
  const Count thread = blockIdx.x * Count{threads} + threadIdx.x;
  Count found = 0;
  for (Count i = thread; i < elements; i += Count{gridDim.x} * threads) found += isnan(values.at(i)) ? 1 : 0;
  to[thread] = found;
}

unsigned blocks_for(Count elements) {
  return static_cast<unsigned>(std::clamp(ceil_div(elements, threads), Count{1}, most_blocks));
}

}  // namespace

ErrorSums compare_rows(void* values, DType type, std::span<const Count> rows, Count cols, const double* exact,
                       const double* rounded, Stream stream) {
  const Buffer<Count> chosen(rows);
  const Compared what{{values, type}, chosen.data(), cols, std::ssize(rows) * cols, exact, rounded};
  const unsigned blocks = blocks_for(what.size);
  Buffer<ErrorSums> partial(std::size_t{blocks} * threads);
  compare<<<blocks, threads, 0, stream>>>(what, partial.data());
  TILEMETER_CHECK(cudaGetLastError());
  TILEMETER_CHECK(cudaStreamSynchronize(stream));
  const std::vector<ErrorSums> sums = partial.to_host();
  return std::accumulate(sums.begin(), sums.end(), ErrorSums{});
}

Count count_nan(void* values, DType type, Count elements, Stream stream) {
  const unsigned blocks = blocks_for(elements);
  Buffer<Count> partial(std::size_t{blocks} * threads);
  find_nan<<<blocks, threads, 0, stream>>>({values, type}, elements, partial.data());
  TILEMETER_CHECK(cudaGetLastError());
  TILEMETER_CHECK(cudaStreamSynchronize(stream));
  const std::vector<Count> found = partial.to_host();
  return std::accumulate(found.begin(), found.end(), Count{0});
}

}  // namespace tilemeter::kernels
