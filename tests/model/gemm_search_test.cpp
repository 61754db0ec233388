// Tiles of a single matrix product: the largest square, the least traffic, and how far that is from the lower bound.
#include "model/gemm_search.hpp"

#include <cmath>
#include <ctime>
#include <optional>
#include <random>

#include "tests/model/tiling_support.hpp"
#include "tests/support/catch.hpp"

using namespace tilemeter;
using namespace tilemeter::testing;

namespace {

Case product(Count m, Count n, Count k) {
  Case point;
  point.shapes = {.m = m, .n = n, .k = k};
  return point;
}

Case chosen(const Case& point, BlockRule rule, Count capacity) {
  Case resolved = point;
  resolved.tiling = resolve_tiling("gemm", point, rule, element_budget(capacity), any_size);
  if (rule == BlockRule::optimum) resolved.options.gemm_order = least_traffic_order(resolved);
  return resolved;
}

Count moved(const Case& point) { return closed_form("gemm", point).total().total().value(); }

Count least(const Case& point, Count capacity) { return moved(chosen(point, BlockRule::optimum, capacity)); }

/// The least over every tile size and order, one by one.
Count least_of_all(Case point, Count capacity) {
  std::optional<Count> best;
  for (Count bm = 1; bm <= point.shapes.m; ++bm) {
    for (Count bn = 1; bn <= point.shapes.n; ++bn) {
      for (Count bk = 1; bk <= point.shapes.k; ++bk) {
        if (bm * bk + bk * bn + bm * bn > capacity) continue;
        for (int order = 0; order < 4; ++order) {
          Case candidate = with_product_tiles(point, bm, bn, bk);
          if (!point.options.gemm_order) candidate.options.gemm_order = static_cast<GemmOrder>(order);
          const Count traffic = moved(candidate);
          best = std::min(best.value_or(traffic), traffic);
        }
      }
    }
  }
  return best.value();
}

}  // namespace

TEST_CASE("fit gives the square tile floor(sqrt(M + 1)) - 1 with C stationary") {
  for (Count capacity = 3; capacity < 3000; capacity = capacity + 1 + capacity / 7) {
    INFO(capacity);
    const Case point = chosen(product(512, 512, 512), BlockRule::fit, capacity);
    const auto side = static_cast<Count>(std::sqrt(static_cast<double>(capacity + 1))) - 1;
    CHECK(point.tiling.block_m == side);
    CHECK(point.tiling.block_n == side);
    CHECK(point.tiling.block_k * 2 * side + side * side <= capacity);
    CHECK((point.tiling.block_k + 1) * 2 * side + side * side > capacity);
  }
}

TEST_CASE("the optimum is the least over all tiles and orders") {
  std::mt19937_64 random(20261130);
  const auto between = [&](Count low, Count high) { return std::uniform_int_distribution<Count>(low, high)(random); };
  for (int repetition = 0; repetition < 60; ++repetition) {
    Case point = product(between(1, 9), between(1, 9), between(1, 9));
    if (between(0, 1) == 1) point.options.gemm_order = static_cast<GemmOrder>(between(0, 3));
    const Count capacity = between(3, 150);
    INFO(point.shapes.m << "x" << point.shapes.n << "x" << point.shapes.k << " in " << capacity);
    REQUIRE(least(point, capacity) == least_of_all(point, capacity));
  }
}

TEST_CASE("the curve of 512 x 512 x 64 has the published minima, in less than a second of a processor") {
  const Case point = product(512, 512, 64);
  const std::clock_t begin = std::clock();
  Count before = moved(chosen(point, BlockRule::optimum, 3));
  for (Count capacity = 4; capacity < 400000; capacity += 1 + capacity / 8) {
    const Count traffic = least(point, capacity);
    CHECK(traffic <= before);
    before = traffic;
  }
  CHECK(before == 2 * 512 * 64 + 512 * 512);
  CHECK(least(point, 560) == 1769472);
  CHECK(least(point, 2144) <= 819200);
  CHECK(least(point, 8384) <= 425984);
  CHECK(least(point, 33344) <= 327680);
  CHECK(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC < 1);
}

TEST_CASE(
    "with tiles that divide m and n, traffic over the lower bound is sqrt(M) / (sqrt(M + 1) - 1) to four digits") {
  for (const Count side : {4, 6, 9, 12, 16, 22, 31, 45, 64, 90, 127, 181}) {
    const Count capacity = (side + 1) * (side + 1) - 1;
    const Case point = chosen(product(40 * side, 40 * side, 100000 * side), BlockRule::fit, capacity);
    const double root = std::sqrt(static_cast<double>(capacity));
    const auto flops = static_cast<double>(closed_form("gemm", point).matmul_flops.value());
    const double bound = flops / root + static_cast<double>(point.shapes.m * point.shapes.n);
    const double predicted = root / (std::sqrt(static_cast<double>(capacity + 1)) - 1);
    INFO("M = " << capacity);
    CHECK(std::fabs(static_cast<double>(moved(point)) / bound - predicted) < 1e-4);
  }
}

TEST_CASE("weights are read once when all tokens fit one tile") {
  Case point;
  point.shapes = {.tokens = 8, .d_in = 4096, .d_out = 4096};
  point.options.weight_type = WeightType::int4;
  point.options.group_size = 128;
  for (const BlockRule rule : {BlockRule::fit, BlockRule::optimum}) {
    point.tiling = resolve_tiling("weight_layer", point, rule, byte_budget(100 * kib), any_size);
    const Work work = closed_form("weight_layer", point);
    CHECK(work[TensorName::W].read == Elements(4096 * 4096));
    CHECK(work[TensorName::W].read_bytes == Bytes(4096 * 4096 / 2));
    CHECK(work[TensorName::scales].read_bytes == Bytes(4096 * 32 * 2));
  }
}

TEST_CASE("rules that do not apply, and rows that do not fit, are refused with their names") {
  const Case point = product(64, 64, 64);
  CHECK_THROWS_WITH(resolve_tiling("gemm", point, BlockRule::paper, element_budget(100), any_size),
                    contains("--blocks paper") && contains("--block-m"));
  CHECK_THROWS_WITH(resolve_tiling("gemm", point, BlockRule::fit, element_budget(2), any_size),
                    contains("not even the smallest tiling fits") && contains("gemm 1x1x1"));
  Case row;
  row.shapes = {.rows = 4, .cols = 8192};
  row.options.variant = Variant::resident;
  CHECK_THROWS_WITH(resolve_tiling("softmax", row, BlockRule::fit, element_budget(8193), any_size),
                    contains("softmax resident, rows of 8192") && contains("8194 elements"));
  CHECK_NOTHROW(resolve_tiling("softmax", row, BlockRule::fit, element_budget(8194), any_size));
  row.options.variant = Variant::online;
  CHECK(resolve_tiling("softmax", row, BlockRule::fit, element_budget(100), any_size).block_k == 98);
}
