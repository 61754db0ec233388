#include "tests/kernels/kernel_points.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <stdexcept>
#include <string>

#include "model/closed_form/catalog.hpp"
#include "tests/support/cases.hpp"

using namespace tilemeter;
using namespace tilemeter::kernels;

namespace {

Count between(std::mt19937_64& random, Count low, Count high) {
  return std::uniform_int_distribution<Count>(low, high)(random);
}

template <class T>
T one_of(std::mt19937_64& random, std::span<const T> values) {
  return values[static_cast<std::size_t>(between(random, 0, std::ssize(values) - 1))];
}

/// A length between 1 and `longest`, often a multiple of 8, sometimes 1.
Count length(std::mt19937_64& random, Count longest) {
  const Count any = between(random, 1, longest);
  switch (between(random, 0, 5)) {
    case 0:
      return 1;
    case 1:
    case 2:
      return (any + 7) / 8 * 8;
    default:
      return any;
  }
}

Case draw(const Kernel& kernel, const KernelTiling& tiling, Count longest, std::mt19937_64& random) {
  Case point = testing::random_case(random, testing::Extent::small);
  Problem& problem = point.problem;
  problem.dtype = problem.score_dtype = problem.o_dtype = one_of(random, kernel.dtypes);
  problem.fp8_output = DType::bf16;
  if (!kernel.score_dtypes.empty()) problem.score_dtype = one_of(random, kernel.score_dtypes);
  if (!kernel.o_dtypes.empty()) problem.o_dtype = one_of(random, kernel.o_dtypes);
  problem.packing = one_of(random, kernel.packings);
  problem.seq_q = length(random, longest);
  problem.seq_k = between(random, 0, 2) == 0 ? problem.seq_q : length(random, longest) - (between(random, 0, 9) == 0);
  if (tiling.head_dim > 0) problem.head_dim = tiling.head_dim;
  if (tiling.head_dim_v > 0) problem.head_dim_v = tiling.head_dim_v;
  const auto given = [](Count compiled, Count drawn) { return compiled > 0 ? compiled : drawn; };
  point.tiling = {.block_q = given(tiling.block_q, 64),
                  .block_k = given(tiling.block_k, 64),
                  .block_d = tiling.block_d,
                  .block_m = given(tiling.block_m, 64),
                  .block_n = given(tiling.block_n, 64),
                  .stages = given(tiling.stages, 1),
                  .rule = BlockRule::given};
  point.options.page_size = 0;
  point.options.chunk = Options{}.chunk;
  point.options.init = StatisticsInit::not_counted;
  point.options.variant.reset();
  if (!kernel.variants.empty()) point.options.variant = one_of(random, kernel.variants);
  constexpr std::array<Count, 8> groups = {0, 0, 16, 64, 128, 256, 512, 1 << 20};
  point.options.group_size = one_of(random, std::span<const Count>(groups));
  point.options.gemm_order.reset();
  point.shapes = {.m = length(random, longest),
                  .n = length(random, longest),
                  .k = length(random, longest),
                  .tokens = length(random, longest),
                  .d_in = length(random, 4 * longest),
                  .d_out = length(random, longest),
                  .rows = length(random, longest),
                  .cols = length(random, 4 * longest),
                  .length = length(random, 100 * longest)};
  return point;
}

}  // namespace

Case random_kernel_point(const Kernel& kernel, const KernelTiling& tiling, PointSize size, std::mt19937_64& random) {
  const Formula& formula = formula_of(kernel.algorithm);
  const Count longest = size == PointSize::small ? 300 : 900;
  constexpr int tries = 2000;
  std::string reason;
  for (int i = 0; i < tries; ++i) {
    Case point = testing::adapted(draw(kernel, tiling, longest, random), formula);
    if (!matches(tiling, point)) continue;
    const auto against = unsupported(kernel, point);
    if (!against) return point;
    reason = *against;
  }
  throw std::logic_error(std::string(kernel.name) + " supports none of many random points: " + reason);
}
