// Sizes at the edge of 64 bits: exact while they fit, an error that names the figure past it, and never a loop over N.
#include <functional>
#include <limits>
#include <string>

#include "model/closed_form/catalog.hpp"
#include "model/closed_form/visited.hpp"
#include "tests/support/catch.hpp"

using namespace tilemeter;

namespace {

constexpr Count largest = std::numeric_limits<Count>::max();

Case square(Count seq, Count head_dim) {
  Case point;
  point.problem.seq_q = point.problem.seq_k = seq;
  point.problem.head_dim = point.problem.head_dim_v = head_dim;
  return point;
}

}  // namespace

TEST_CASE("a window of 4096 over 2^40 keys is exact and instant") {
  constexpr Count n = Count{1} << 40;
  Case point = square(n, 64);
  point.problem.mask = {.kind = MaskKind::window, .left = 4096, .right = 0, .pairs = nullptr};
  point.tiling.block_q = point.tiling.block_k = 128;
  constexpr Count tiles = n / 128, s = 4096 / 128;
  constexpr Count visited = (s + 1) * tiles - s * (s + 1) / 2;
  for (const std::string_view algorithm : {"flash1", "flash2"}) CHECK(closed_form(algorithm, point).tiles == visited);
  CHECK(closed_form("flash2", point)[TensorName::K].read == Elements(visited * 128 * 64));
  CHECK(closed_form("flash1", point)[TensorName::K].read == Elements(n * 64));
  point.options.row_splits = 7;
  CHECK(closed_form("flash1", point)[TensorName::K].read == Elements((7 * tiles - 7 * 6 / 2) * 128 * 64));
  CHECK(visible_pairs(point.problem) == n * 4097 - Count{4096} * 4097 / 2);
  CHECK(empty_rows(point.problem) == 0);
}

TEST_CASE("an overflow names its figure") {
  const auto message = [](std::string_view algorithm, const Case& point) -> std::string {
    try {
      closed_form(algorithm, point);
    } catch (const FigureOverflow& error) {
      return error.what();
    }
    return "no overflow";
  };
  const Count two_32 = Count{1} << 32;
  CHECK_THAT(message("standard", square(two_32, 1)), contains("S write elements would pass"));
  CHECK_THAT(message("standard", square(two_32 / 4, 8)), contains("matmul_flops would pass"));
  CHECK_THAT(message("standard_tiled", square(Count{1} << 50, 64)), contains("Q read elements would pass"));
  CHECK_THAT(message("flash1", square(Count{1} << 40, 64)), contains("Q read elements would pass"));
  CHECK_THAT(message("flash2", square(Count{1} << 40, 64)), contains("K read elements would pass"));
  Case decode = square(Count{1} << 61, 2);
  decode.problem.seq_q = 1;
  CHECK_THAT(message("flash2", decode), contains("K read bytes would pass"));
  CHECK_THAT(message("flash1", decode), contains("K read bytes would pass"));
  decode.problem.dtype = decode.problem.score_dtype = DType::fp8;
  CHECK_THAT(message("flash2", decode), contains("matmul_flops would pass"));
  decode.problem.score_dtype = DType::fp64;
  CHECK_THAT(message("standard", decode), contains("S write bytes would pass"));
}

TEST_CASE("products of the largest sizes are refused, not wrapped") {
  const std::function<void(Problem&)> masks[] = {
      [](Problem&) {},
      [](Problem& p) { p.mask.kind = MaskKind::causal; },
      [](Problem& p) { p.mask.kind = MaskKind::causal_top_left; },
      [](Problem& p) { p.mask = {.kind = MaskKind::window, .left = largest, .right = largest, .pairs = nullptr}; },
      [](Problem& p) {
        p.mask = {.kind = MaskKind::window, .left = largest / 3, .right = largest / 5, .pairs = nullptr};
      },
  };
  for (const auto& set_mask : masks) {
    for (const Count seq : {Count{1} << 62, largest}) {
      for (const Count block : {Count{1}, Count{100}, largest}) {
        Case point = square(seq, largest);
        point.tiling.block_q = point.tiling.block_k = block;
        point.options.row_splits = largest;
        set_mask(point.problem);
        for (const std::string_view algorithm : {"standard", "standard_tiled", "standard_unfused", "flash1", "flash2",
                                                 "chunked", "materialised", "split_kv", "zigzag"}) {
          INFO(algorithm << " " << name_of(point.problem.mask.kind) << " seq " << seq << " block " << block);
          CHECK_THROWS_AS(closed_form(algorithm, point), FigureOverflow);
          CHECK_THROWS_AS(compulsory(algorithm, point), FigureOverflow);
        }
        CHECK_THROWS_WITH(visible_pairs(point.problem), contains("pairs would pass"));
        CHECK(empty_rows(point.problem) == 0);
      }
    }
  }
}

TEST_CASE("packed groups of the largest sizes stay within 128 bits or are refused") {
  Case point = square(1, 1);
  point.problem.heads = Count{1} << 62;
  point.problem.seq_k = largest;
  point.problem.packing = Packing::packed;
  point.problem.mask.kind = MaskKind::causal;
  point.tiling.block_q = point.tiling.block_k = largest;
  CHECK_THROWS_AS(closed_form("flash2", point), FigureOverflow);
  CHECK(VisitedSums(point.problem, largest, largest).tiles() == Wide(1));
  CHECK(VisitedSums(point.problem, largest, 3).tiles() == ceil_div(Wide(largest), Wide(3)));
  point.problem.seq_q = 2;
  CHECK_THROWS_WITH(closed_form("flash2", point), contains("the query rows of a packed stream would pass"));
}
