// Tile sizes in bytes: what a tile of mixed types needs, and the sizes of least traffic that fit a GPU's shared memory.
#include "model/footprint.hpp"
#include "model/tile_search.hpp"
#include "tools/tables/all.hpp"
#include "tools/tables/judge.hpp"
#include "tools/tables/points.hpp"

namespace tilemeter::tables {
namespace {

constexpr Count seq = 65536;  // longer than any tile

/// Sizes of one capacity and head dimension, worked out outside this program.
struct Known {
  Count kibibytes;
  Count head_dim;
  Count flash1_optimum;  ///< Bc beside Br = 1
  Count flash1_rows;     ///< Bc beside Br = d
  Count flash2_optimum;  ///< Br beside Bc = 1
};

constexpr Known known[] = {
    {163, 64, 640, 277, 420}, {163, 128, 321, 66, 213}, {227, 64, 892, 405, 586}, {227, 128, 448, 130, 297}};

Budget bytes_on_chip(Count kibibytes) {
  Budget budget;
  budget.bytes = Bytes(checked::multiply(kibibytes, 1024));
  budget.owner = "M";
  return budget;
}

/// The largest Bc that fits beside Br = d.
Count keys_beside_head_dim_rows(const Case& point, const Budget& budget) {
  const Count d = point.problem.head_dim;
  return largest_multiple(1, seq,
                          [&](Count keys) { return overflow_of("flash1", tiled(point, d, keys), budget) == 0; });
}

void add_size(Table& table, const Known& row, const std::string& what, Count size, Count reference) {
  Judge judge(table, std::to_string(row.kibibytes) + " KiB, d " + std::to_string(row.head_dim) + ", " + what);
  judge.equal("size", size, reference);
  table.rows.push_back({row.kibibytes, row.head_dim, what, size, reference, judge.verdict()});
}

void add_sizes(Table& table, const Known& row) {
  const Case point = one_head(seq, row.head_dim);
  const Budget budget = bytes_on_chip(row.kibibytes);
  const auto optimum = [&](std::string_view algorithm) {
    return resolve_tiling(algorithm, point, BlockRule::optimum, budget, TileGranularity{});
  };
  add_size(table, row, "flash1, Bc beside Br = 1 (least traffic)", optimum("flash1").block_k, row.flash1_optimum);
  add_size(table, row, "flash1, Bc beside Br = d", keys_beside_head_dim_rows(point, budget), row.flash1_rows);
  add_size(table, row, "flash2, Br beside Bc = 1 (least traffic)", optimum("flash2").block_q, row.flash2_optimum);
}

}  // namespace

Table byte_sizes() {
  Table table;
  table.columns = {{"M", "KiB"}, {"d", ""}, {"tile", ""}, {"size", "rows"}, {"size ref.", "rows"}, {"verdict", ""}};
  for (const Known& row : known) add_sizes(table, row);
  const Count mixed = footprint_of(on_chip_tiles("flash1", tiled(one_head(4096, 64), 64, 196))).bytes().value();
  Judge judge(table, "(64, 196) with fp32 O and S");
  judge.equal("bytes", mixed, 125440);
  table.notes = {
      "fp16 Q, K, V; fp32 O, S, l, m on chip, P in the place of S: 2(2 Bc d + Br d) + 4(Br d + Br Bc + 2 Br) bytes",
      "the paper's (64, 196) tile at d = 64 needs " + std::to_string(mixed) +
          " B so, 91904 B with everything in fp16: it does not fit 100 KiB with fp32 accumulation",
      "Br = d is not the largest square-like tile: --blocks fit takes 99 x 99 for 163 KiB and d = 128"};
  return table;
}

}  // namespace tilemeter::tables
