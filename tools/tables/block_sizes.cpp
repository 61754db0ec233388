// Tile sizes of the paper's rule, and whether they fit the memory that they were derived from.
#include "model/on_chip.hpp"
#include "tools/output/number.hpp"
#include "tools/tables/all.hpp"
#include "tools/tables/judge.hpp"
#include "tools/tables/points.hpp"

namespace tilemeter::tables {
namespace {

/// What is known of a row: sizes and elements on chip; 0 where no source states them.
struct KnownRow {
  Count capacity;
  Count head_dim;
  Count block_q;
  Count block_k;
  Count needed;
};

constexpr KnownRow known[] = {
    {12500, 64, 0, 49, 15043},   {24576, 64, 64, 96, 26752},   {25000, 64, 0, 98, 27136}, {50000, 64, 64, 196, 45952},
    {100000, 64, 0, 391, 83392}, {200000, 64, 0, 782, 158464}, {100000, 128, 0, 0, 0},    {200000, 128, 0, 0, 0},
};

void add_row(Table& table, const KnownRow& row) {
  const Case point = ruled("flash1", one_head(65536, row.head_dim), BlockRule::paper, row.capacity);
  const Billed flash1 = bill("flash1", point);
  const double share = static_cast<double>(flash1.needed.value()) / static_cast<double>(row.capacity);
  Judge judge(table, "M " + std::to_string(row.capacity) + ", d " + std::to_string(row.head_dim));
  judge.counts(flash1.counted, flash1.closed);
  if (row.block_q > 0) judge.equal("Br", point.tiling.block_q, row.block_q);
  if (row.block_k > 0) judge.equal("Bc", point.tiling.block_k, row.block_k);
  if (row.needed > 0) judge.equal("needed", flash1.needed.value(), row.needed);
  if (share > 1) judge.infeasible("needs x" + fixed(share, 3) + " of M");
  const auto stated = [](Count value) { return value > 0 ? Cell(value) : Cell(); };
  table.rows.push_back({row.capacity, row.head_dim, point.tiling.block_q, stated(row.block_q), point.tiling.block_k,
                        stated(row.block_k), elements_cell(flash1.needed), stated(row.needed), Decimal{share, 3},
                        judge.verdict()});
}

}  // namespace

Table block_sizes() {
  Table table;
  table.columns = {{"M", "elements"},   {"d", ""},           {"Br", "rows"},         {"Br ref.", "rows"},
                   {"Bc", "rows"},      {"Bc ref.", "rows"}, {"needed", "elements"}, {"needed ref.", "elements"},
                   {"needed / M", "x"}, {"verdict", ""}};
  for (const KnownRow& row : known) add_row(table, row);
  table.notes = {"Bc = ceil(M / 4d), Br = min(Bc, d), FlashAttention's Algorithm 1",
                 "needed: Q, K, V, O, S, l and m on chip, the peak that the simulator allocated: "
                 "2d(Br + Bc) + Br Bc + 2Br; M / 4d leaves no room for S, l and m while Bc <= d"};
  return table;
}

}  // namespace tilemeter::tables
