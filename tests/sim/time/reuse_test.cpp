// The closed-form estimate of device traffic against the lockstep simulation.
#include "model/reuse.hpp"

#include <cmath>
#include <cstdio>
#include <random>

#include "sim/catalog.hpp"
#include "sim/time/lockstep.hpp"
#include "sim/time/recorder.hpp"
#include "tests/support/cases.hpp"
#include "tests/support/catch.hpp"

using namespace tilemeter;
using namespace tilemeter::testing;

namespace {

const Budget unlimited;

struct Comparison {
  double estimated = 0;
  double simulated = 0;
  double off() const { return estimated / simulated - 1; }
};

struct Point {
  Case point;
  Concurrency concurrency;
  Count capacity = 0;
};

template <class T>
T one_of(std::mt19937_64& random, std::initializer_list<T> values) {
  return values.begin()[std::uniform_int_distribution<std::size_t>(0, values.size() - 1)(random)];
}

Point random_point(std::mt19937_64& random, MaskKind mask) {
  Point made;
  Problem& problem = made.point.problem;
  problem.batch = one_of<Count>(random, {1, 2, 3});
  problem.kv_heads = one_of<Count>(random, {1, 2, 4, 8});
  problem.heads = problem.kv_heads * one_of<Count>(random, {1, 1, 4});
  problem.seq_q = one_of<Count>(random, {256, 512, 1000, 2048, 3000});
  problem.seq_k = mask == MaskKind::none ? one_of<Count>(random, {256, 1024, 1500, 4096}) : problem.seq_q;
  problem.head_dim = problem.head_dim_v = one_of<Count>(random, {64, 128});
  problem.mask.kind = mask;
  if (mask == MaskKind::window) {
    problem.mask.left = one_of<Count>(random, {127, 500});
    problem.mask.right = 0;
  }
  made.point.tiling = {.block_q = one_of<Count>(random, {64, 128}), .block_k = one_of<Count>(random, {32, 64, 128})};
  made.concurrency = {.resident = one_of<Count>(random, {4, 12, 33, 132, 264}),
                      .fastest = one_of(random, {FastestIndex::blocks, FastestIndex::blocks, FastestIndex::streams})};
  made.capacity = one_of<Count>(random, {256, 512, 1024, 2048, 4096, 8192}) * 1024;
  return made;
}

Comparison compare(const std::string& algorithm, const Point& made) {
  const Recording recording = record(find_algorithm(algorithm), made.point, unlimited);
  const Execution execution{.fastest = made.concurrency.fastest};
  const LevelTraffic simulated =
      lockstep_traffic(recording, execution, made.concurrency.resident, Bytes(made.capacity)).all;
  const DramEstimate estimated = estimate_dram(algorithm, made.point, made.concurrency, Bytes(made.capacity));
  return {static_cast<double>(estimated.read.value()), static_cast<double>(simulated.dram_read.value())};
}

}  // namespace

TEST_CASE("explore reuse", "[.]") {
  for (const std::string algorithm : {"flash2", "flash1", "split_kv"}) {
    for (const MaskKind mask : {MaskKind::none, MaskKind::causal, MaskKind::window}) {
      std::mt19937_64 random(1);
      std::vector<double> offs;
      for (int i = 0; i < 200; ++i) {
        const Point made = random_point(random, mask);
        const Comparison c = compare(algorithm, made);
        offs.push_back(std::abs(c.off()));
        if (std::abs(c.off()) > 0.25) {
          std::printf("%s %s R %ld fastest %d C %ld KiB: %+.2f  (est %.2f MiB sim %.2f MiB)\n", algorithm.c_str(),
                      describe(made.point).c_str(), made.concurrency.resident, int(made.concurrency.fastest),
                      made.capacity / 1024, c.off(), c.estimated / 1048576, c.simulated / 1048576);
        }
      }
      std::sort(offs.begin(), offs.end());
      std::printf("== %s mask %d: median %.3f 75%% %.3f 90%% %.3f max %.3f\n", algorithm.c_str(), int(mask), offs[100],
                  offs[150], offs[180], offs[199]);
    }
  }
}
