// What the tile rules say: device tilings, refusals, and advice.
#include "model/tiling_rule.hpp"

#include <limits>
#include <random>
#include <tuple>

#include "tests/model/tiling_support.hpp"
#include "tests/support/catch.hpp"

using namespace tilemeter;
using namespace tilemeter::testing;

TEST_CASE("device tilings are multiples of 16 within shared memory and registers") {
  for (const char* algorithm : {"flash1", "flash2", "standard_tiled"}) {
    for (const BlockRule rule : {BlockRule::fit, BlockRule::optimum}) {
      for (const Count d : {64, 72, 128, 256}) {
        for (const MaskKind mask : {MaskKind::none, MaskKind::causal}) {
          Case point = square_case(5000, d);
          point.problem.mask.kind = mask;
          const Budget budget = gpu_budget(232448, "h200");
          point.tiling = resolve_tiling(algorithm, point, rule, budget, device_sizes);
          CAPTURE(algorithm, name_of(rule), d);
          CHECK((point.tiling.block_q % 16 == 0 && point.tiling.block_k % 16 == 0));
          CHECK(overflow_of(algorithm, point, budget) == 0);
          CHECK(point.tiling.rule == rule);
        }
      }
    }
  }
}

TEST_CASE("a row of scores is resident when it fits, and the tile rules then work with two passes") {
  const Case point = square_case(4096, 64);
  CHECK(resolve_row_softmax("standard_tiled", point, Budget{}) == RowSoftmax::resident);
  CHECK(resolve_row_softmax("standard_tiled", point, element_budget(4098)) == RowSoftmax::resident);
  CHECK(resolve_row_softmax("standard_tiled", point, element_budget(4097)) == RowSoftmax::online);
  const auto [block_q, block_k] = sizes("standard_tiled", point, BlockRule::fit, element_budget(3000));
  CHECK(block_q == block_k);
  CHECK(block_q == 20);  // 2 x 20 x 64 + 20^2 = 2960, 2 x 21 x 64 + 21^2 = 3129
}

TEST_CASE("rules that keep the sizes, need a budget, or do not apply") {
  const Case point = tiled(square_case(4096, 64), 96, 48);
  for (const BlockRule rule : {BlockRule::given, BlockRule::standard}) {
    const Tiling kept = resolve_tiling("flash1", point, rule, Budget{}, any_size);
    CHECK((kept.block_q == 96 && kept.block_k == 48 && kept.rule == rule));
  }
  CHECK(sizes("standard", point, BlockRule::fit, element_budget(10)) == Size{96, 48});
  for (const BlockRule rule : {BlockRule::paper, BlockRule::fit, BlockRule::optimum}) {
    CHECK_THROWS_WITH(resolve_tiling("flash1", point, rule, Budget{}, any_size),
                      contains("--blocks " + std::string(name_of(rule)) + " needs --sram or --device"));
  }
  CHECK_THROWS_WITH(resolve_tiling("standard_tiled", point, BlockRule::paper, element_budget(50000), any_size),
                    contains("--blocks paper does not apply to standard_tiled"));
  CHECK_THROWS_AS(resolve_tiling("flash9", point, BlockRule::fit, element_budget(50000), any_size), InputError);
  CHECK(sizes("flash1", point, BlockRule::paper, byte_budget(100000)) == Size{64, 196});
}

TEST_CASE("flash2 128x64, d = 256, bf16: refused where it does not fit, with the neighbours that do") {
  Case point = tiled(square_case(256, 256), 128, 64);
  point.problem.dtype = DType::bf16;
  CHECK(over_capacity_message("flash2", point, gpu_budget(101376, "rtx4090"), device_sizes) ==
        "flash2 128x64, d=256, bf16 needs 128.0 KiB of shared memory: Q 64 + K 32 + V 32; rtx4090 allows 99.0 KiB a "
        "block; nearest that fit: 64x64, 128x32; head_dim 256 equals seq: are --seq and --head-dim swapped?");
  CHECK(overflow_of("flash2", point, gpu_budget(101376, "rtx4090")) == 29696);
  CHECK_THAT(over_capacity_message("flash2", point, gpu_budget(101376, "rtx5090"), device_sizes),
             contains("rtx5090 allows 99.0 KiB a block"));
  CHECK(overflow_of("flash2", tiled(point, 128, 48), gpu_budget(101376, "rtx3090")) > 0);
  CHECK(overflow_of("flash2", point, gpu_budget(166912, "a100-80gb")) == 0);
  CHECK(overflow_of("flash2", point, gpu_budget(232448, "h100-sxm")) == 0);
  point.problem.seq_q = point.problem.seq_k = 1024;
  CHECK_THAT(over_capacity_message("flash2", point, gpu_budget(101376, "rtx4090"), device_sizes), !contains("swapped"));
}

TEST_CASE("a head dimension that equals the length is called out") {
  Case point = tiled(square_case(1024, 1024), 128, 128);
  point.problem.batch = 8;
  point.problem.dtype = DType::fp32;
  const std::string text = over_capacity_message("flash2", point, gpu_budget(232448, "h100-sxm"), device_sizes);
  CHECK_THAT(text, contains("head_dim 1024 equals seq: are --seq and --head-dim swapped?"));
  CHECK_THAT(text, contains("needs 1536.0 KiB of shared memory") && contains("nearest that fit: 16x16"));
  point.problem.seq_q = point.problem.seq_k = 600;
  CHECK(swapped_sizes_hint(point.problem) == "; head_dim 1024 exceeds seq 600: are --seq and --head-dim swapped?");
  point.problem.seq_q = point.problem.seq_k = 4096;
  CHECK(swapped_sizes_hint(point.problem).empty());
  point.problem.head_dim = 16384;
  CHECK_THROWS_WITH(resolve_tiling("flash2", point, BlockRule::fit, gpu_budget(232448, "h100-sxm"), device_sizes),
                    contains("not even the smallest tiling fits: flash2 16x16, d=16384") && contains("swapped?"));
}

TEST_CASE("the paper's rule forgets S, and the message shows it") {
  Case point = square_case(1024, 64);
  const Budget budget = element_budget(24576);
  point.tiling = resolve_tiling("flash1", point, BlockRule::paper, budget, any_size);
  CHECK(over_capacity_message("flash1", point, budget, any_size) ==
        "flash1 64x96, d=64 needs 26752 elements: Q 4096 + K 6144 + V 6144 + O 4096 + S 6144 + l 64 + m 64; "
        "--sram 24576el allows 24576 elements; nearest that fit: 54x96, 64x84");
}

TEST_CASE("advice for GEMM tiles shortens one side of three, and unfit corners fall back on the largest tiling") {
  Case point = tiled(square_case(4096, 128), 128, 128);
  CHECK_THAT(over_capacity_message("standard_tiled", point, element_budget(40000), any_size),
             contains("standard_tiled 128x128x128, d=128, its scores kernel needs 49152 elements: Q 16384 + K 16384 + "
                      "S 16384; --sram 40000el allows 40000 elements; nearest that fit: 92x128x128, 128x92x128, "
                      "128x128x92"));
  point.tiling.block_q = point.tiling.block_k = 1000;
  CHECK_THAT(over_capacity_message("flash2", point, element_budget(10000), any_size),
             contains("nearest that fit: " +
                      std::to_string(sizes("flash2", point, BlockRule::fit, element_budget(10000)).first) + "x"));
  CHECK_THAT(over_capacity_message("flash2", point, element_budget(100), any_size),
             contains("not even the smallest tiling fits: flash2 1x1, d=128 needs 515 elements"));
}

TEST_CASE("absurd sizes are refused by name or answered, never wrapped") {
  constexpr Count huge = std::numeric_limits<Count>::max();
  Case point = square_case(1 << 20, huge);
  for (const BlockRule rule : {BlockRule::paper, BlockRule::fit, BlockRule::optimum}) {
    CHECK_THROWS_AS(resolve_tiling("flash2", point, rule, element_budget(50000), any_size), InputError);
  }
  point = square_case(huge, 64);
  CHECK(sizes("flash2", point, BlockRule::fit, element_budget(50000)) == Size{215, 64});
  CHECK_THROWS_WITH(resolve_tiling("flash1", point, BlockRule::optimum, element_budget(50000), any_size),
                    contains("2^63 - 1"));
  CHECK_THROWS_WITH(resolve_tiling("flash2", point, BlockRule::fit, element_budget(50000), device_sizes),
                    contains("2^63 - 1"));
  CHECK(sizes("flash1", square_case(4096, 64), BlockRule::fit, element_budget(huge)) == Size{64, 4096});
}
