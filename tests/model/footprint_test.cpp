#include "model/footprint.hpp"

#include <limits>
#include <tuple>

#include "model/capacity_message.hpp"
#include "model/closed_form/flash3.hpp"
#include "tests/model/tiling_support.hpp"
#include "tests/support/catch.hpp"

using namespace tilemeter;
using namespace tilemeter::testing;

namespace {

Case square_case(Count seq, Count head_dim, Count block_q, Count block_k) {
  Case point;
  point.problem.seq_q = point.problem.seq_k = seq;
  point.problem.head_dim = point.problem.head_dim_v = head_dim;
  point.tiling.block_q = block_q;
  point.tiling.block_k = block_k;
  return point;
}

Footprint flash_footprint(const Case& point) { return footprint_of(on_chip_tiles("flash2", point)); }

std::string names_of(const std::vector<OnChipTile>& tiles) {
  std::string names;
  for (const OnChipTile& tile : tiles) names += tile.name + " ";
  return names;
}

}  // namespace

TEST_CASE("the flash tiles are Q K V O S l m, in this order, on their side of the chip") {
  const std::vector<OnChipTile> tiles = on_chip_tiles("flash1", square_case(4096, 64, 64, 196));
  CHECK(names_of(tiles) == "Q K V O S l m ");
  for (const OnChipTile& tile : tiles) {
    const bool operand = tile.name == "Q" || tile.name == "K" || tile.name == "V";
    CHECK(tile.space == (operand ? Space::shared : Space::registers));
    CHECK(tile.dtype == (operand ? DType::fp16 : DType::fp32));
  }
  CHECK(on_chip_tiles("flash2", square_case(4096, 64, 64, 196)) == tiles);
}

TEST_CASE("F1 = 2d(Br+Bc) + Br Bc + 2Br, clipped to the problem") {
  for (const Count d : {1, 5, 64, 128}) {
    for (const Count rows : {1, 7, 64, 300}) {
      for (const Count keys : {1, 13, 196, 500}) {
        const Count br = std::min<Count>(rows, 256);
        const Count bc = std::min<Count>(keys, 256);
        const Footprint use = flash_footprint(square_case(256, d, rows, keys));
        CHECK(use.elements.value() == 2 * d * (br + bc) + br * bc + 2 * br);
      }
    }
  }
}

TEST_CASE("footprints of published tiles") {
  CHECK(flash_footprint(square_case(4096, 64, 49, 49)).elements == Elements(15043));
  CHECK(flash_footprint(square_case(4096, 64, 64, 98)).elements == Elements(27136));
  CHECK(flash_footprint(square_case(4096, 64, 64, 196)).elements == Elements(45952));
  CHECK(flash_footprint(square_case(4096, 64, 64, 391)).elements == Elements(83392));
  CHECK(flash_footprint(square_case(4096, 64, 64, 782)).elements == Elements(158464));
  CHECK(flash_footprint(square_case(1024, 64, 128, 64)).elements == Elements(33024));
  CHECK(flash_footprint(square_case(4096, 64, 64, 196)).bytes() == Bytes(125440));
}

TEST_CASE("FlashAttention-2's shared memory is (Br + 2 Bc) d e") {
  struct Row {
    Count d, block_q, block_k, bytes;
  };
  for (const Row& row : {Row{128, 128, 32, 49152}, Row{128, 128, 64, 65536}, Row{256, 64, 64, 98304},
                         Row{256, 128, 64, 131072}, Row{256, 128, 48, 114688}}) {
    CHECK(flash_footprint(square_case(4096, row.d, row.block_q, row.block_k)).shared == Bytes(row.bytes));
  }
}

TEST_CASE("V and O follow head_dim_v, rings multiply K and V") {
  Case point = square_case(1024, 192, 64, 64);
  point.problem.head_dim_v = 128;
  for (const auto& [block_q, block_k, stages, bytes] :
       {std::tuple{128, 32, 2, 90112}, {64, 64, 3, 147456}, {128, 16, 3, 79872}, {32, 64, 2, 94208}}) {
    point.tiling = {.block_q = block_q, .block_k = block_k, .stages = stages};
    CHECK(flash_footprint(point).shared == Bytes(bytes));
  }
}

TEST_CASE("fp64 accumulates in fp64, everything else in fp32") {
  Case point = square_case(1024, 128, 64, 64);
  CHECK(on_chip_tiles("flash2", point)[3].bytes() == Bytes(32768));
  point.problem.dtype = DType::fp8;
  CHECK(on_chip_tiles("flash2", point)[3].bytes() == Bytes(32768));
  point.problem.dtype = DType::fp64;
  CHECK(on_chip_tiles("flash2", point)[3].bytes() == Bytes(65536));
}

TEST_CASE("packed streams clip block_q to group x seq_q, an empty sequence leaves tiles without rows") {
  Case point = square_case(1, 64, 128, 64);
  point.problem.seq_k = 8192;
  point.problem.heads = 32;
  point.problem.kv_heads = 8;
  CHECK(on_chip_tiles("flash2", point).front().rows == 1);
  point.problem.packing = Packing::packed;
  CHECK(on_chip_tiles("flash2", point).front().rows == 4);
  point.problem.seq_k = 0;
  CHECK(on_chip_tiles("flash2", point)[1].rows == 0);
  CHECK(flash_footprint(point).elements == Elements(4 * 64 + 4 * 64 + 2 * 4));
}

TEST_CASE("flash3 holds two groups of rows and a score tile more: F1 + Br Bc + 2(s - 1) Bc d") {
  Case point = square_case(4096, 128, 128, 128);
  point.tiling.stages = 2;
  const std::vector<OnChipTile> tiles = on_chip_tiles("flash3", point);
  CHECK(names_of(tiles) == "K V Q0 O0 S0 P0 l0 m0 Q1 O1 S1 P1 l1 m1 ");
  CHECK(tiles[2].rows == 64);
  CHECK(footprint_of(tiles).elements == Elements(131328));
  for (const auto& [rows, first, second] :
       {std::tuple{1, 1, 0}, {64, 64, 0}, {65, 64, 1}, {100, 64, 36}, {128, 64, 64}, {192, 128, 64}, {256, 128, 128}}) {
    CHECK(group_rows(rows).first == first);
    CHECK(group_rows(rows).second == second);
  }
}

TEST_CASE("split_kv has a combine kernel when there is something to combine") {
  Case point = square_case(4096, 128, 64, 64);
  point.options.splits = 1;
  CHECK(on_chip_tiles_by_kernel("split_kv", point).size() == 1);
  point.options.splits = 9;
  point.options.page_size = 16;
  const std::vector<KernelTiles> kernels = on_chip_tiles_by_kernel("split_kv", point);
  REQUIRE(kernels.size() == 2);
  CHECK(names_of(kernels[0].tiles) == "Q K V O S l m pages ");
  CHECK(kernels[0].tiles.back().bytes() == Bytes(4 * 4));
  CHECK(names_of(kernels[1].tiles) == "LSEacc LSE O Oacc ");
  CHECK(footprint_of(kernels[1].tiles).elements == Elements(4 * 9 + 4 + 2 * 4 * 128));
}

TEST_CASE("standard_tiled has three kernels, and on_chip_tiles gives the fullest") {
  Case point = square_case(4096, 64, 128, 96);
  point.tiling.block_d = 32;
  const std::vector<KernelTiles> kernels = on_chip_tiles_by_kernel("standard_tiled", point);
  REQUIRE(kernels.size() == 3);
  CHECK(names_of(kernels[0].tiles) == "Q K S ");
  CHECK(names_of(kernels[1].tiles) == "S l m ");
  CHECK(names_of(kernels[2].tiles) == "P V O ");
  CHECK(footprint_of(kernels[0].tiles).elements == Elements(128 * 32 + 96 * 32 + 128 * 96));
  CHECK(footprint_of(kernels[1].tiles).elements == Elements(4096 + 2));
  CHECK(footprint_of(kernels[2].tiles).elements == Elements(128 * 96 + 96 * 32 + 128 * 32));
  CHECK(on_chip_tiles("standard_tiled", point) == kernels[0].tiles);

  point.problem.seq_k = 1 << 20;
  CHECK(names_of(on_chip_tiles("standard_tiled", point)) == "S l m ");
  point.options.row_softmax = RowSoftmax::online;
  CHECK(on_chip_tiles_by_kernel("standard_tiled", point)[1].tiles.front().cols == 96);
}

TEST_CASE("the overflow of an algorithm is that of its worst kernel, not of its fullest") {
  // softmax: 240 KiB of registers, which fit; scores: 128 KiB of shared memory, which do not.
  Case point = square_case(60 * kib - 2, 256, 128, 128);
  const Budget budget = gpu_budget(99 * kib, "rtx4090");
  CHECK(names_of(on_chip_tiles("standard_tiled", point)) == "S l m ");
  CHECK(fits(footprint_of(on_chip_tiles("standard_tiled", point)), budget));
  CHECK(overflow_of("standard_tiled", point, budget) == 29 * kib);
}

TEST_CASE("algorithms without tiles hold none, unknown ones are refused") {
  const Case point = square_case(128, 64, 64, 64);
  CHECK(on_chip_tiles("standard", point).empty());
  CHECK(on_chip_tiles("standard_unfused", point).empty());
  CHECK(overflow_of("standard", point, element_budget(1)) == 0);
  CHECK_THROWS_WITH(on_chip_tiles("flash9", point), contains("flash9") && contains("flash2"));
}

TEST_CASE("budgets compare their own unit, at the limit and one past it") {
  const Footprint use{.elements = Elements(45952), .shared = Bytes(58368), .registers = Bytes(67072)};
  CHECK(fits(use, Budget{}));
  CHECK(fits(use, element_budget(45952)));
  CHECK(overflow_of(use, element_budget(45951)) == 1);
  Budget bytes;
  bytes.bytes = Bytes(125440);
  CHECK(fits(use, bytes));
  bytes.bytes = Bytes(125439);
  CHECK(overflow_of(use, bytes) == 1);
  Budget gpu = gpu_budget(58368, "gpu");
  gpu.registers = Bytes(67072);
  CHECK(fits(use, gpu));
  gpu.registers = Bytes(67070);
  gpu.bytes = Bytes(58367);
  CHECK(overflow_of(use, gpu) == 3);
}

TEST_CASE("a need just past the limit is printed in bytes, never as the limit") {
  const auto tile = [](Count bytes) {
    return std::vector<OnChipTile>{{.name = "tile", .rows = bytes, .cols = 1, .dtype = DType::u8}};
  };
  CHECK(capacity_message("x", tile(65538), gpu_budget(65536, "t4")) ==
        "x needs 65538 B of shared memory: tile 65538; t4 allows 65536 B a block");
  CHECK(capacity_message("x", tile(232449), gpu_budget(232448, "h100-sxm")) ==
        "x needs 232449 B of shared memory: tile 232449; h100-sxm allows 232448 B a block");
  CHECK(capacity_message("x", tile(108672), gpu_budget(101376, "rtx5090")) ==
        "x needs 106.1 KiB of shared memory: tile 106.12; rtx5090 allows 99.0 KiB a block");
  for (Count past = 1; past < 300; ++past) {
    const std::string text = capacity_message("x", tile(101376 + past), gpu_budget(101376, "gpu"));
    CHECK((text.find("needs 99.0 KiB") == std::string::npos || text.find("allows 99.0 KiB") == std::string::npos));
  }
}

TEST_CASE("every passed limit is named, and rings show their stages") {
  Case point = square_case(4096, 512, 128, 128);
  point.problem.dtype = DType::bf16;
  point.tiling.stages = 2;
  CHECK(
      capacity_message("x", on_chip_tiles("flash2", point), gpu_budget(227 * kib, "h200")) ==
      "x needs 640.0 KiB of shared memory: Q 128 + K 2x128 + V 2x128; h200 allows 227.0 KiB a block; and 321.0 KiB of "
      "registers: O 256 + S 64 + l 0.5 + m 0.5; h200 allows 256.0 KiB a block");
}

TEST_CASE("budgets past 2^32 bytes print unchanged, and absurd sizes name the figure") {
  const std::vector<OnChipTile> tiles{{.name = "S", .rows = Count{1} << 40, .cols = 1, .dtype = DType::fp32}};
  Budget budget;
  budget.bytes = Bytes(1677721600);
  budget.owner = "--sram 1677721600B";
  CHECK_THAT(capacity_message("x", tiles, budget), contains("--sram 1677721600B allows 1638400.0 KiB"));
  constexpr Count huge = std::numeric_limits<Count>::max();
  CHECK_THROWS_WITH(flash_footprint(square_case(huge, huge, huge, huge)),
                    contains("the footprint on chip would pass 2^63 - 1"));
}
