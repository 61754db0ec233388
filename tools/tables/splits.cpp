// How many splits FlashAttention-2's heuristic chooses, and what they leave to do.
#include "model/split_heuristic.hpp"
#include "tools/tables/all.hpp"
#include "tools/tables/judge.hpp"

namespace tilemeter::tables {
namespace {

struct KnownChoice {
  Count batch;
  Count kv_heads;
  Count key_tiles;
  Count sms;
  Count splits;
};

constexpr KnownChoice known[] = {
    {1, 8, 64, 108, 22}, {1, 8, 64, 132, 32}, {1, 8, 1024, 132, 28},
    {4, 8, 64, 132, 7},  {16, 8, 64, 132, 2}, {64, 8, 64, 132, 1},
};

}  // namespace

Table splits() {
  Table table;
  table.columns = {{"batch", ""},        {"K/V heads", ""},        {"key tiles", "tiles"}, {"SMs", ""},
                   {"splits", ""},       {"splits ref.", ""},      {"a split", "tiles"},   {"blocks", ""},
                   {"waves", "of 2/SM"}, {"wave efficiency", "%"}, {"verdict", ""}};
  for (const KnownChoice& row : known) {
    const Count blocks = row.batch * row.kv_heads;
    const Count slots = 2 * row.sms;
    const Count splits = split_heuristic({.blocks = blocks, .key_tiles = row.key_tiles, .slots = slots});
    const Count waves = ceil_div(blocks * splits, slots);
    Judge judge(table, "batch " + std::to_string(row.batch) + ", " + std::to_string(row.key_tiles) + " tiles, " +
                           std::to_string(row.sms) + " SMs");
    judge.equal("splits", splits, row.splits);
    table.rows.push_back({row.batch, row.kv_heads, row.key_tiles, row.sms, splits, row.splits,
                          tiles_per_split(row.key_tiles, splits), blocks * splits, waves,
                          Decimal{100.0 * static_cast<double>(blocks * splits) / static_cast<double>(waves * slots), 1},
                          judge.verdict()});
  }
  table.notes = {
      "one query tile, packed heads: blocks = batch x K/V heads x splits, two of them at once on an SM. Blocks that "
      "fill "
      "0.8 of the places are not split"};
  return table;
}

}  // namespace tilemeter::tables
