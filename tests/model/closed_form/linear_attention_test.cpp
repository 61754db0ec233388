// Linear attention: published counts, break-even, and which points each variant takes.
#include "model/closed_form/linear_attention.hpp"

#include "model/footprint.hpp"
#include "tests/model/tiling_support.hpp"
#include "tests/support/catch.hpp"

using namespace tilemeter;
using namespace tilemeter::testing;

namespace {

Case linear(Count seq, Count head_dim, Count head_dim_v, Variant variant) {
  Case point = square_case(seq, head_dim);
  point.problem.head_dim_v = head_dim_v;
  point.options.variant = variant;
  if (variant == Variant::causal_chunks) point.problem.mask.kind = MaskKind::causal;
  return point;
}

Count flops(const Case& point) { return closed_form("linear_attention", point).matmul_flops.value(); }

}  // namespace

TEST_CASE("linear attention: traffic and FLOPs of each order") {
  for (const Count n : {1, 63, 64, 65, 1000}) {
    for (const Count d : {8, 64}) {
      for (const Count e : {8, 40}) {
        INFO("N " << n << " d " << d << " dv " << e);
        const auto total = [&](Variant variant) {
          return closed_form("linear_attention", linear(n, d, e, variant)).total();
        };
        CHECK(total(Variant::scores).read.value() == 2 * n * d + n * e + n * n);
        CHECK(total(Variant::scores).write.value() == n * n + n * e);
        CHECK(total(Variant::state_memory).read.value() == 2 * n * d + n * e + d * e);
        CHECK(total(Variant::state_memory).write.value() == n * e + d * e);
        for (const Variant variant : {Variant::state, Variant::causal_chunks}) {
          CHECK(total(variant).read.value() == 2 * n * d + n * e);
          CHECK(total(variant).write.value() == n * e);
        }
        const Count last = n - (ceil_div(n, 64) - 1) * 64;
        const Count squares = (ceil_div(n, 64) - 1) * 64 * 64 + last * last;
        CHECK(flops(linear(n, d, e, Variant::scores)) == 2 * n * n * (d + e));
        CHECK(flops(linear(n, d, e, Variant::state)) == 4 * n * d * e);
        CHECK(flops(linear(n, d, e, Variant::state_memory)) == 4 * n * d * e);
        CHECK(flops(linear(n, d, e, Variant::causal_chunks)) == 2 * squares * (d + e) + 4 * n * d * e);
      }
    }
  }
}

TEST_CASE("linear attention: the state takes fewer FLOPs from N = 2 d dv / (d + dv) on") {
  for (const Count d : {16, 64, 128}) {
    for (const Count e : {16, 64, 192}) {
      const Count even = 2 * d * e / (d + e);
      const auto difference = [&](Count n) {
        return flops(linear(n, d, e, Variant::scores)) - flops(linear(n, d, e, Variant::state));
      };
      INFO("d " << d << " dv " << e);
      if (2 * d * e % (d + e) == 0) CHECK(difference(even) == 0);
      if (even > 1) CHECK(difference(even - 1) < 0);
      CHECK(difference(even + 1) > 0);
    }
  }
}

TEST_CASE("linear attention: what lies on chip") {
  const auto peak = [](Variant variant) {
    return footprint_of(on_chip_tiles("linear_attention", linear(1000, 64, 32, variant))).elements.value();
  };
  CHECK(peak(Variant::causal_chunks) == 64 * (2 * 64 + 2 * 32) + 64 * 32 + 64 * 64);
  CHECK(peak(Variant::state) == 64 * (2 * 64 + 2 * 32) + 64 * 32);
  CHECK(peak(Variant::state_memory) == 64 * (64 + 32) + 64 * 32);
  CHECK(on_chip_tiles("linear_attention", linear(1000, 64, 32, Variant::scores)).empty());
  const Case point = linear(1000, 64, 32, Variant::state);
  CHECK_THAT(over_capacity_message("linear_attention", point, element_budget(2048 + 192 * 20), any_size),
             contains("nearest that fits: --chunk 20"));
  CHECK_THAT(over_capacity_message("linear_attention", point, element_budget(2048), any_size),
             contains("not even one row fits beside the state"));
}

TEST_CASE("linear attention: the mask chooses the variant, and variants refuse what they cannot do") {
  Case point = square_case(100, 16);
  const auto chosen = [&] { return accepted(formula_of("linear_attention"), point).options.variant.value(); };
  CHECK(chosen() == Variant::state);
  point.problem.mask.kind = MaskKind::causal;
  CHECK(chosen() == Variant::causal_chunks);
  point.options.variant = Variant::scores;
  CHECK(chosen() == Variant::scores);
  point.options.variant = Variant::state;
  CHECK_THROWS_WITH(chosen(), contains("--mask causal") && contains("causal_chunks"));
  point.options.variant = Variant::causal_chunks;
  point.problem.seq_k = 101;
  CHECK_THROWS_WITH(chosen(), contains("--seq-k 101") && contains("equal lengths"));
  point.problem.mask.kind = MaskKind::none;
  CHECK_THROWS_WITH(chosen(), contains("--causal"));
  point.options.variant = Variant::onchip;
  CHECK_THROWS_WITH(chosen(), contains("--variant onchip") && contains("state, state_memory, scores, causal_chunks"));
}
