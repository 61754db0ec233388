// Law 5: a kernel's own counters are the simulator's ledger. With TILEMETER_RECORD=FILE in the environment, what the
// kernels counted is written down in the form that recorded_mirror_test reads.
#include <cstdlib>
#include <fstream>
#include <random>

#include "kernels/buffer.hpp"
#include "kernels/catalog.hpp"
#include "sim/catalog.hpp"
#include "sim/run.hpp"
#include "tests/kernels/mirror_record.hpp"
#include "tests/support/catch.hpp"

using namespace tilemeter;
using namespace tilemeter::kernels;

namespace {

Count between(std::mt19937_64& random, Count low, Count high) {
  return std::uniform_int_distribution<Count>(low, high)(random);
}

/// A random problem that `kernel` may be asked for in `tiling`.
Case random_point(std::mt19937_64& random, const Kernel& kernel, const KernelTiling& tiling) {
  Case point;
  Problem& problem = point.problem;
  problem.batch = between(random, 1, 3);
  problem.kv_heads = between(random, 1, 3);
  problem.heads = problem.kv_heads * between(random, 1, 4);
  problem.seq_q = between(random, 1, 700);
  problem.seq_k = between(random, 0, 2) == 0 ? problem.seq_q : between(random, 0, 700);
  problem.head_dim = tiling.head_dim;
  problem.head_dim_v = tiling.head_dim_v;
  problem.dtype = problem.score_dtype = problem.o_dtype = kernel.dtype;
  problem.mask.kind = kernel.masks[static_cast<std::size_t>(between(random, 0, std::ssize(kernel.masks) - 1))];
  if (problem.mask.kind == MaskKind::window) {
    problem.mask.left = between(random, 0, 300);
    if (between(random, 0, 1) == 0) problem.mask.right = between(random, 0, 100);
  }
  point.tiling = {.block_q = tiling.block_q, .block_k = tiling.block_k, .rule = BlockRule::given};
  return point;
}

/// Runs the counting twin on zeros: what is moved does not depend on the numbers.
Work count_on_gpu(const Kernel& kernel, const Case& point) {
  const Problem& problem = point.problem;
  const auto zeros = [](Count elements) {
    return std::vector<float>(static_cast<std::size_t>(std::max<Count>(elements, 1)));
  };
  const Count q_rows = problem.batch * problem.heads * problem.seq_q;
  const Count k_rows = problem.batch * problem.kv_heads * problem.seq_k;
  const Buffer<float> q{std::span<const float>(zeros(q_rows * problem.head_dim))};
  const Buffer<float> k{std::span<const float>(zeros(k_rows * problem.head_dim))};
  const Buffer<float> v{std::span<const float>(zeros(k_rows * problem.head_dim_v))};
  Buffer<float> o(static_cast<std::size_t>(q_rows * problem.head_dim_v));
  Buffer<float> lse(static_cast<std::size_t>(q_rows));
  return kernel.count({q.data(), k.data(), v.data(), o.data(), lse.data()}, point, nullptr);
}

}  // namespace

TEST_CASE("every kernel counts what the simulator counts, in every tiling") {
  constexpr std::uint64_t seed = 90;
  std::mt19937_64 random(seed);
  const char* path = std::getenv("TILEMETER_RECORD");
  std::ofstream record;
  if (path != nullptr) {
    record.open(path);
    record << mirror_header() << "\n";
  }
  for (const Kernel& kernel : catalog()) {
    for (const KernelTiling& tiling : kernel.tilings) {
      for (int repetition = 0; repetition < 40; ++repetition) {
        const Case point = random_point(random, kernel, tiling);
        if (unsupported(kernel, point)) continue;
        const Work counted = count_on_gpu(kernel, point);
        INFO(mirror_line(kernel.name, point, counted));
        const Work ledger = count(find_algorithm(kernel.algorithm), point, Budget{}).work;
        REQUIRE(counted.tensors == ledger.tensors);
        REQUIRE(counted.tiles == ledger.tiles);
        if (record.is_open()) record << mirror_line(kernel.name, point, counted) << "\n";
      }
    }
  }
}
