// The closed-form estimate of device traffic against the lockstep simulation.
#include "model/reuse.hpp"

#include "model/reuse_products.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "model/closed_form/catalog.hpp"
#include "sim/catalog.hpp"
#include "sim/time/lockstep.hpp"
#include "sim/time/recorder.hpp"
#include "tests/sim/unlimited.hpp"
#include "tests/support/cases.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/one_of.hpp"

using namespace tilemeter;
using namespace tilemeter::testing;

namespace {

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

/// The errors of `count` points, the smallest first.
std::vector<double> errors_of(const std::string& algorithm, MaskKind mask, int count) {
  std::mt19937_64 random(20261130);
  std::vector<double> errors;
  for (int i = 0; i < count; ++i) errors.push_back(std::abs(compare(algorithm, random_point(random, mask)).off()));
  std::sort(errors.begin(), errors.end());
  return errors;
}

/// Errors of half, three quarters and nine tenths of the points are no larger; any point is off by the last at most.
struct Tolerance {
  std::string algorithm;
  MaskKind mask;
  double half, three_quarters, nine_tenths, all;
};

}  // namespace

TEST_CASE("the estimate reads what lockstep reads, but for points near the edge of the capacity") {
  for (const Tolerance& tolerance : {Tolerance{"flash2", MaskKind::none, 0.001, 0.001, 0.05, 0.6},
                                     Tolerance{"flash2", MaskKind::causal, 0.001, 0.03, 0.25, 1.0},
                                     Tolerance{"flash2", MaskKind::window, 0.001, 0.02, 0.15, 1.0},
                                     Tolerance{"flash1", MaskKind::none, 0.001, 0.001, 0.01, 1.0},
                                     Tolerance{"flash1", MaskKind::causal, 0.001, 0.02, 0.1, 0.5},
                                     Tolerance{"split_kv", MaskKind::none, 0.01, 0.1, 0.3, 1.0},
                                     Tolerance{"split_kv", MaskKind::causal, 0.02, 0.1, 0.3, 1.0}}) {
    const std::vector<double> errors = errors_of(tolerance.algorithm, tolerance.mask, 100);
    CAPTURE(tolerance.algorithm, name_of(tolerance.mask), errors);
    CHECK(errors[50] <= tolerance.half);
    CHECK(errors[75] <= tolerance.three_quarters);
    CHECK(errors[90] <= tolerance.nine_tenths);
    CHECK(errors[99] <= tolerance.all);
  }
}

TEST_CASE("what is written and what stays dirty are the outputs, to the capacity") {
  std::mt19937_64 random(7);
  for (int i = 0; i < 50; ++i) {
    const Point made = random_point(random, MaskKind::none);
    CAPTURE(describe(made.point), made.capacity, made.concurrency.resident);
    const DramEstimate estimated = estimate_dram("flash2", made.point, made.concurrency, Bytes(made.capacity));
    const Bytes output = closed_form("flash2", made.point).total().write_bytes;
    CHECK(std::abs((estimated.write + estimated.left_dirty - output).value()) <= 1);
    CHECK(estimated.left_dirty <= Bytes(made.capacity));
  }
}

namespace {

/// Inputs that the algorithm reads, once.
Bytes needed_reads(std::string_view algorithm, const Case& point) {
  const Work bill = closed_form(algorithm, point);
  const Work once = compulsory(algorithm, point);
  Bytes sum;
  for (std::size_t i = 0; i < tensor_count; ++i) {
    sum += std::min(bill.tensors[i].read_bytes, once.tensors[i].read_bytes);
  }
  return sum;
}

}  // namespace

namespace {

Point random_product(std::mt19937_64& random) {
  Point made = random_point(random, MaskKind::none);
  Shapes& shapes = made.point.shapes;
  shapes = {.m = one_of<Count>(random, {512, 1000, 2048}),
            .n = one_of<Count>(random, {512, 1000, 2048}),
            .k = one_of<Count>(random, {256, 1024})};
  made.point.tiling.block_m = one_of<Count>(random, {64, 128});
  made.point.tiling.block_n = one_of<Count>(random, {64, 128});
  made.point.tiling.block_k = 64;
  shapes.tokens = shapes.m;
  shapes.d_in = shapes.k;
  shapes.d_out = shapes.n;
  shapes.rows = shapes.m * 4;
  shapes.cols = shapes.k * 4;
  made.point.problem.heads = made.point.problem.kv_heads;
  made.point.problem.batch = one_of<Count>(random, {1, 2});
  made.concurrency.fastest = FastestIndex::blocks;
  return made;
}

/// As `errors_of`, for points that matrix products, softmax and standard_tiled take.
std::vector<double> errors_of_products(const std::string& algorithm, int count) {
  std::mt19937_64 random(20261130);
  std::vector<double> errors;
  for (int i = 0; i < count; ++i) errors.push_back(std::abs(compare(algorithm, random_product(random)).off()));
  std::sort(errors.begin(), errors.end());
  return errors;
}

}  // namespace

TEST_CASE("products and softmax read what lockstep reads, but for points near the edge of the capacity") {
  for (const Tolerance& tolerance : {Tolerance{"gemm", MaskKind::none, 0.05, 0.15, 0.3, 1.0},
                                     Tolerance{"weight_layer", MaskKind::none, 0.05, 0.15, 0.3, 1.0},
                                     Tolerance{"softmax", MaskKind::none, 0.001, 0.001, 0.3, 2.0},
                                     Tolerance{"standard_tiled", MaskKind::none, 0.05, 0.15, 0.3, 1.0}}) {
    const std::vector<double> errors = errors_of_products(tolerance.algorithm, 60);
    CAPTURE(tolerance.algorithm, errors);
    CHECK(errors[30] <= tolerance.half);
    CHECK(errors[45] <= tolerance.three_quarters);
    CHECK(errors[54] <= tolerance.nine_tenths);
    CHECK(errors[59] <= tolerance.all);
  }
}

TEST_CASE("worked through once: panels of an 8192-cubed product, 132 blocks at a time") {
  // 64 x 32 tiles of 128 x 256. A wave is 4 1/8 rows of blocks: panels of A of 2 MiB, and all of B's, 128 MiB, which
  // come back with each of the 15.5 waves. 14 of the 15 wave ends lie inside a row, whose panel of A is taken again.
  constexpr double mib = 1 << 20;
  const ProductGrid grid{.rows = 64, .cols = 32, .a_panel = 2 * mib, .b_panel = 4 * mib, .c_tile = mib / 16};
  const PanelsAgain again = panels_again(grid, 132, 34 * mib);
  CHECK(again.b == Approx((64.0 * 32 / 132 - 1) * 128 * mib));
  CHECK(again.a == (15 - 1) * 2 * mib);  // of the 15 ends every eighth is that of a row
  CHECK(panels_again(grid, 132, 160 * mib).b == 0);
}

TEST_CASE("every algorithm: estimates lie between what is compulsory and what crosses the edge") {
  Case point;
  point.problem = {.heads = 4, .kv_heads = 4, .seq_q = 512, .seq_k = 512, .head_dim = 64, .head_dim_v = 64};
  point.tiling = {.block_q = 64, .block_k = 64};
  point.shapes = {
      .m = 512, .n = 512, .k = 256, .tokens = 64, .d_in = 256, .d_out = 128, .rows = 64, .cols = 256, .length = 4096};
  for (const Algorithm& algorithm : algorithms()) {
    const Bytes edge = closed_form(algorithm.name, point).total().read_bytes;
    const Bytes once = needed_reads(algorithm.name, point);
    Bytes before = edge + Bytes(1);
    for (const Count kib : {0, 64, 512, 4096, 1 << 20}) {
      CAPTURE(algorithm.name, kib);
      const DramEstimate estimated = estimate_dram(algorithm.name, point, {.resident = 8}, Bytes(kib * 1024));
      CHECK(estimated.read <= before);
      CHECK(estimated.read + Bytes(1) >= once);
      before = estimated.read + Bytes(1);
    }
  }
}

TEST_CASE("worked through once: 64 heads of 4096 keys, 264 blocks at a time") {
  // A wave is 8 1/4 heads of 32 blocks. 6 of the 7 ends of waves lie within a head, whose K and V, 2 MiB, are walked
  // again. Between the passes lie K and V of 9 heads and 16.63 MiB of Q, O and LSE: 34.63 MiB, too many for 34. The
  // last wave has 7 heads: the distance falls to 30.63 MiB, and 0.16 of the walk is read again.
  Case point;
  point.problem = {.batch = 4, .heads = 16, .kv_heads = 16, .seq_q = 4096, .seq_k = 4096};
  point.problem.head_dim = point.problem.head_dim_v = 128;
  point.tiling = {.block_q = 128, .block_k = 64};
  const auto again = [&](Count capacity) {
    const Bytes read = estimate_dram("flash2", point, {.resident = 264}, Bytes(capacity << 20)).read;
    return static_cast<double>((read - Bytes(Count{192} << 20)).value()) / (2 << 20);
  };
  CHECK(again(34) == Approx(5.16).margin(0.01));
  CHECK(again(33) == Approx(5.41).margin(0.01));
  CHECK(again(40) == 0);
  CHECK(again(16) == 6);
}
