// What is particular to split_kv, zigzag and flash3.
#include <cmath>
#include <limits>

#include "model/closed_form/catalog.hpp"
#include "sim/algorithms/paged_keys.hpp"
#include "sim/catalog.hpp"
#include "sim/numeric.hpp"
#include "tests/sim/unlimited.hpp"
#include "tests/support/catch.hpp"

using namespace tilemeter;

namespace {

constexpr double endless = std::numeric_limits<double>::infinity();

Case decode(Count splits) {
  Case point;
  point.problem = {.batch = 2, .heads = 6, .kv_heads = 2, .seq_q = 3, .seq_k = 200, .head_dim = 16, .head_dim_v = 8};
  point.problem.mask.kind = MaskKind::causal;
  point.problem.dtype = point.problem.score_dtype = point.problem.o_dtype = DType::fp32;
  point.tiling = {.block_q = 16, .block_k = 16};
  point.options.splits = splits;
  return point;
}

}  // namespace

TEST_CASE("parts without keys are zeros and -inf, and rows without any key follow --empty-lse") {
  Case point = decode(5);
  point.problem.seq_q = 40;
  point.problem.seq_k = 25;  // rows 0 ... 14 see nothing; two key tiles in five splits
  const Algorithm& split_kv = find_algorithm("split_kv");
  for (const EmptyLse declared : {EmptyLse::plus_infinity, EmptyLse::minus_infinity}) {
    point.options.empty_lse = declared;
    const NumericOutputs run = run_on(split_kv, point, unlimited, random_inputs(split_kv, point, 5));
    const double wanted = declared == EmptyLse::plus_infinity ? endless : -endless;
    for (Count row = 0; row < 15; ++row) {
      REQUIRE(run.outputs.at(TensorName::O)[0].row(row).isZero(0));
      REQUIRE(run.outputs.at(TensorName::LSE)[0](row, 0) == wanted);
    }
    CHECK(std::isfinite(run.outputs.at(TensorName::LSE)[0](15, 0)));
    CHECK(run_numeric(split_kv, point, unlimited, 5).check.ok);
  }
}

TEST_CASE("pages lie in another order than their keys, and are found through the table") {
  for (const Count pages : {2, 3, 7, 16, 100}) {
    std::vector<bool> taken(static_cast<std::size_t>(pages), false);
    Count moved = 0;
    for (Count page = 0; page < pages; ++page) {
      const Count place = place_of_page(page, pages);
      REQUIRE((place >= 0 && place < pages));
      CHECK_FALSE(taken[static_cast<std::size_t>(place)]);
      taken[static_cast<std::size_t>(place)] = true;
      moved += place != page ? 1 : 0;
    }
    if (pages > 2) CHECK(moved > 0);
  }
  const Algorithm& split_kv = find_algorithm("split_kv");
  for (const Count page : {1, 8, 16, 48}) {
    Case point = decode(3);
    point.options.page_size = page;
    const NumericCheck check = run_numeric(split_kv, point, unlimited, 6).check;
    CHECK(check.ok);
    CHECK(check.nan_rows == 0);
  }
}

TEST_CASE("a table entry is read for every page of every visited tile, by every block that visits it") {
  Case point = decode(4);
  point.problem.mask = {};
  const auto entries = [&](Count page) {
    point.options.page_size = page;
    return count(find_algorithm("split_kv"), point, unlimited).work[TensorName::block_table].read.value();
  };
  // 12 streams, one query tile, 13 key tiles, the last of 8 keys.
  CHECK(entries(16) == 12 * 13);
  CHECK(entries(64) == 12 * 13);
  CHECK(entries(4) == 12 * (12 * 4 + 2));
  point.options.page_size = 24;
  CHECK_THROWS_WITH(closed_form("split_kv", point), contains("--page-size 24") && contains("--block-k (16)"));
}

TEST_CASE("more splits than key tiles, and very many, are counted at once") {
  Case point = decode(1'000'000);
  const Work work = count(find_algorithm("split_kv"), point, unlimited).work;
  CHECK(work == closed_form("split_kv", point));
  CHECK(work[TensorName::LSEacc].write.value() == 1'000'000 * 12 * 3);
}

TEST_CASE("zigzag moves the optimum of every schedule that was searched exhaustively") {
  struct Known {
    Count seq, rows_on_chip, optimum;
  };
  for (const Known& known :
       {Known{2, 2, 10}, Known{2, 3, 8}, Known{3, 2, 20}, Known{3, 3, 16}, Known{3, 4, 12}, Known{4, 2, 34}}) {
    Case point;
    point.problem = {.seq_q = known.seq, .seq_k = known.seq, .head_dim = 1, .head_dim_v = 1};
    point.tiling = {.block_q = known.rows_on_chip - 1, .block_k = 1};
    const Work work = count(find_algorithm("zigzag"), point, unlimited).work;
    CHECK(work.total().total().value() - work[TensorName::LSE].write.value() == known.optimum);
  }
}

TEST_CASE("zigzag at 2^40 rows is counted from a handful of steps") {
  Case point;
  point.problem = {.seq_q = Count{1} << 40, .seq_k = Count{1} << 40};
  point.problem.mask = {.kind = MaskKind::window, .left = 4096, .right = 0, .pairs = {}};
  CHECK(count(find_algorithm("zigzag"), point, unlimited).work == closed_form("zigzag", point));
}
