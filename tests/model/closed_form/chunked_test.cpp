// chunked against loops over its chunks, its workspace, and the chunks that rules choose.
#include <algorithm>
#include <random>

#include "model/closed_form/chunked.hpp"
#include "model/footprint.hpp"
#include "tests/model/tiling_support.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/repetitions.hpp"

using namespace tilemeter;
using namespace tilemeter::testing;

namespace {

Case chunks(Count seq_q, Count seq_k, Count head_dim, Count head_dim_v, Count chunk_q, Count chunk_k, Variant variant) {
  Case point;
  point.problem = {.seq_q = seq_q, .seq_k = seq_k, .head_dim = head_dim, .head_dim_v = head_dim_v};
  point.tiling = {.block_q = chunk_q, .block_k = chunk_k};
  point.options.variant = variant;
  return point;
}

/// What the listing does, step by step: elements by tensor, and the most that is alive at once.
struct Walk {
  Count q = 0, k = 0, v = 0, o = 0, scores = 0, part = 0, combine = 0, most = 0;
};

Walk walk(const Case& point) {
  const Problem& problem = point.problem;
  const Variant variant = *point.options.variant;
  Walk sum;
  for (Count row = 0; row < problem.seq_q; row += point.tiling.block_q) {
    const Count rows = std::min(point.tiling.block_q, problem.seq_q - row);
    Count summaries = 0;
    if (variant != Variant::unfused && problem.seq_k > 0) sum.q += rows * problem.head_dim;
    for (Count key = 0; key < problem.seq_k; key += point.tiling.block_k) {
      const Count keys = std::min(point.tiling.block_k, problem.seq_k - key);
      if (variant == Variant::unfused) sum.q += rows * problem.head_dim;
      sum.k += keys * problem.head_dim;
      sum.v += keys * problem.head_dim_v;
      sum.scores += rows * keys;
      sum.combine += rows;
      summaries += rows * (problem.head_dim_v + 2);
      sum.most = std::max(sum.most, rows * keys * (variant == Variant::unfused ? 2 : 1) + summaries);
    }
    sum.part += summaries;
    sum.o += rows * problem.head_dim_v;
  }
  return sum;
}

}  // namespace

TEST_CASE("chunked: the bill and the workspace are those of the loops") {
  std::mt19937_64 random(5);
  const auto between = [&](Count low, Count high) { return std::uniform_int_distribution<Count>(low, high)(random); };
  for (int repetition = 0; repetition < testing::repetitions(2000); ++repetition) {
    const Variant variant = chunked_variants[static_cast<std::size_t>(repetition % 3)];
    const Case point =
        chunks(between(1, 70), between(0, 70), between(1, 9), between(1, 9), between(1, 80), between(1, 80), variant);
    INFO(name_of(variant) << " " << point.problem.seq_q << "x" << point.problem.seq_k << " chunks "
                          << point.tiling.block_q << "x" << point.tiling.block_k << " d " << point.problem.head_dim
                          << " dv " << point.problem.head_dim_v);
    const Work work = closed_form("chunked", point);
    const Walk steps = walk(point);
    const bool spills = variant != Variant::onchip;
    const Count through_memory = variant == Variant::unfused ? steps.scores : 0;
    REQUIRE(work[TensorName::Q].read.value() == steps.q);
    REQUIRE(work[TensorName::K].read.value() == steps.k);
    REQUIRE(work[TensorName::V].read.value() == steps.v);
    REQUIRE(work[TensorName::O].write.value() == steps.o);
    REQUIRE(work[TensorName::part].read.value() == (spills ? steps.part : 0));
    REQUIRE(work[TensorName::part].write.value() == (spills ? steps.part : 0));
    for (const TensorName scores : {TensorName::S, TensorName::E}) {
      REQUIRE(work[scores].read.value() == through_memory);
      REQUIRE(work[scores].write.value() == through_memory);
    }
    REQUIRE(work.exp.scores == steps.scores);
    REQUIRE(work.exp.combine == steps.combine);
    REQUIRE(work.matmul_flops.value() == 2 * steps.scores * (point.problem.head_dim + point.problem.head_dim_v));
    REQUIRE(workspace_of("chunked", point)->elements.value() == steps.most);
  }
}

TEST_CASE("chunked: bytes of summaries and workspace follow their types") {
  Case point = chunks(4096, 4096, 64, 64, 1024, 64, Variant::fused);
  const auto bytes = [&] { return workspace_of("chunked", point)->bytes.value(); };
  CHECK(closed_form("chunked", point).total().total_bytes() == Bytes(143654912));
  CHECK(bytes() == 4 * 4390912);
  point.problem.stat_dtype = DType::fp16;
  CHECK(bytes() == 4 * 65536 + 2 * 4325376);
  point.options.variant = Variant::unfused;
  CHECK(bytes() == 2 * 4456448);
  CHECK(closed_form("chunked", point)[TensorName::part].read_bytes == Bytes(2 * 17301504));
  point.problem.batch = 3;
  CHECK(bytes() == 3 * 2 * 4456448);
  CHECK_FALSE(workspace_of("flash2", point).has_value());
}

TEST_CASE("chunked: what lies on chip") {
  Case point = chunks(4096, 4096, 64, 64, 1024, 64, Variant::onchip);
  const auto peak = [&] { return footprint_of(on_chip_tiles("chunked", point)).elements.value(); };
  CHECK(peak() == 1024 * 64 + 2 * 64 * 64 + 4390912);
  point.options.variant = Variant::fused;
  CHECK(peak() == 2 * 64 * (1024 + 64) + 1024 * 64 + 2 * 1024);
  const auto kernels = on_chip_tiles_by_kernel("chunked", point);
  REQUIRE(kernels.size() == 2);
  CHECK(footprint_of(kernels[1].tiles).elements.value() == 2 * 64 + 2 * 64);
  point.options.variant = Variant::unfused;
  CHECK(on_chip_tiles_by_kernel("chunked", point).size() == 4);
}

TEST_CASE("chunked: the paper's chunks, and the largest query chunk that fits") {
  CHECK(chunks_of_paper({.seq_k = 4096}).block_k == 64);
  CHECK(chunks_of_paper({.seq_k = 4097}).block_k == 65);
  CHECK(chunks_of_paper({.seq_k = 1}).block_k == 1);
  CHECK(chunks_of_paper({.seq_k = 0}).block_k == 1);
  const Case point = chunks(4096, 4096, 64, 64, 1024, 64, Variant::onchip);
  CHECK(sizes("chunked", point, BlockRule::paper, element_budget(50000)) == Size(1024, 64));
  const auto [rows, keys] = sizes("chunked", point, BlockRule::fit, element_budget(50000));
  CHECK(keys == 64);
  CHECK(overflow_of("chunked", tiled(point, rows, keys), element_budget(50000)) == 0);
  CHECK(overflow_of("chunked", tiled(point, rows + 1, keys), element_budget(50000)) > 0);
  CHECK_THROWS_WITH(sizes("chunked", point, BlockRule::optimum, element_budget(50000)),
                    contains("--blocks optimum") && contains("--chunk-q"));
  CHECK_THROWS_WITH(sizes("chunked", point, BlockRule::fit, element_budget(5000)), contains("not even the smallest"));
}
