#include <string>

#include "model/closed_form/catalog.hpp"
#include "tests/support/catch.hpp"

using namespace tilemeter;

namespace {

Case square(Count seq) {
  Case point;
  point.problem.seq_q = point.problem.seq_k = seq;
  return point;
}

}  // namespace

TEST_CASE("textbook points carry the textbook formula") {
  const Case point = square(4096);
  CHECK(expression_of("standard", point) == "4Nd + 4N^2");
  CHECK(expression_of("standard_tiled", point) == "Nd(Tc + 2Tr + 1) + N^2(3 + Td)");
  CHECK(expression_of("standard_unfused", point) == "4Nd + 4N^2 + 2N^2 [scale] + 2N^2 + N [mask] + 3N^2 [dropout]");
  CHECK(expression_of("flash1", point) == "2Nd + Tc(3Nd + 4N)");
  CHECK(expression_of("flash3", point) == "2Nd + N + 2 Tr Nd");
  CHECK(expression_of("flash2", point) == "2Nd + N + 2 Tr Nd");
}

TEST_CASE("types in memory do not change the formula") {
  Case point = square(64);
  point.problem.dtype = DType::fp64;
  point.problem.o_dtype = DType::fp32;
  point.problem.stat_dtype = DType::fp16;
  CHECK(expression_of("flash1", point) == "2Nd + Tc(3Nd + 4N)");
}

TEST_CASE("masks, options and several streams show in the formula") {
  Case point = square(64);
  point.problem.mask.kind = MaskKind::causal;
  CHECK_THAT(expression_of("flash1", point), contains("2Nd + R(3d + 4), R = "));
  CHECK(expression_of("standard", point) == "4Nd + 4N^2");
  CHECK_THAT(expression_of("flash2", point), contains("KS(d + dv)"));

  point = square(64);
  point.problem.batch = 2;
  point.problem.heads = 3;
  point.problem.kv_heads = 3;
  CHECK(expression_of("flash1", point) == "(2Nd + Tc(3Nd + 4N)) x batch x heads");

  point = square(64);
  point.options.init = StatisticsInit::counted;
  CHECK(expression_of("flash1", point) == "2Nd + Tc(3Nd + 4N) + Nd + 2N");
  point.options.init = StatisticsInit::not_counted;
  point.options.first_visit = FirstVisit::elides_read;
  CHECK(expression_of("flash1", point) == "2Nd + Tc(3Nd + 4N) - Nd - 2N");
  point.options = {.row_splits = 3};
  CHECK(expression_of("flash1", point) == "2 min(z, Tr) Nd + Tc(3Nd + 4N), z = row splits");

  point = square(64);
  point.problem.seq_k = 65;
  CHECK(expression_of("standard", point) == "(Nq + Nk)(d + dv) + 4 Nq Nk");
  CHECK_THAT(expression_of("flash1", point), contains("Kn(d + dv) + R(d + 2dv + 4)"));
}

TEST_CASE("textbook formulas, evaluated, are the totals") {
  Case point = square(1000);
  point.tiling.block_q = 48;
  point.tiling.block_k = 96;
  point.tiling.block_d = 24;
  const Count n = 1000, d = 64, tr = 21, tc = 11, td = 3;
  const auto total = [&](std::string_view algorithm) { return closed_form(algorithm, point).total().total().value(); };
  CHECK(total("standard") == 4 * n * d + 4 * n * n);
  CHECK(total("standard_unfused") == 4 * n * d + 11 * n * n + n);
  CHECK(total("standard_tiled") == n * d * (tc + 2 * tr + 1) + n * n * (3 + td));
  CHECK(total("flash1") == 2 * n * d + tc * (3 * n * d + 4 * n));
  CHECK(total("flash2") == 2 * n * d + n + 2 * tr * n * d);
}
