// Module 08, practice 2: rows that become NaN when tiles come in an order that starts with a fully masked one.
#include "model/nan_rows.hpp"
#include "sim/catalog.hpp"
#include "sim/run.hpp"
#include "tools/tables/all.hpp"
#include "tools/tables/judge.hpp"
#include "tools/tables/points.hpp"

namespace tilemeter::tables {
namespace {

struct KnownRow {
  Count seq_q;
  Count seq_k;
  Count block_q;
  Count block_k;
  std::optional<Count> window;  ///< keys before the row's own; absent for plain causal
  Walk walk;
  Count lost;
};

const KnownRow known[] = {
    {300, 300, 64, 100, {}, Walk::descending, 44},    {300, 300, 100, 64, {}, Walk::descending, 212},
    {257, 257, 48, 33, {}, Walk::descending, 147},    {1000, 1000, 64, 196, {}, Walk::descending, 60},
    {4096, 4096, 64, 196, {}, Walk::descending, 520}, {300, 300, 64, 64, {}, Walk::descending, 0},
    {128, 128, 32, 128, {}, Walk::descending, 0},     {1000, 1000, 64, 196, {}, Walk::ascending, 0},
    {1024, 1024, 64, 64, 100, Walk::ascending, 392},  {1024, 1024, 64, 64, 128, Walk::ascending, 0},
    {300, 100, 64, 64, {}, Walk::ascending, 200},
};

Case point_of(const KnownRow& row) {
  Case point = tiled(one_head(row.seq_q, 1), row.block_q, row.block_k);
  point.problem.seq_k = row.seq_k;
  point.problem.mask = {.kind = row.window ? MaskKind::window : MaskKind::causal, .left = row.window};
  if (row.window) point.problem.mask.right = 0;
  return point;
}

constexpr Count longest_run = 1024;

/// NaN rows of a run of flash2 with the mistake, where the walk is one that it takes.
Count lost_in_numbers(Case point, Walk walk) {
  point.problem.dtype = point.problem.score_dtype = point.problem.o_dtype = DType::fp32;
  point.options.mistake = walk == Walk::ascending ? Mistake::unguarded : Mistake::reversed_unguarded;
  return run_numeric(find_algorithm("flash2"), point, Budget{}, 1).check.nan_rows;
}

}  // namespace

Table nan_rows() {
  Table table;
  table.columns = {{"Nq", "rows"}, {"Nk", "rows"},  {"Br", "rows"},       {"Bc", "rows"}, {"window", "keys"},
                   {"order", ""},  {"NaN", "rows"}, {"NaN ref.", "rows"}, {"verdict", ""}};
  for (const KnownRow& row : known) {
    const Case point = point_of(row);
    const UnguardedRows unguarded(point.problem, point.tiling, row.walk);
    const Count lost = unguarded.lost(UnvisitedRows::divided);
    Judge judge(table, "Nq " + std::to_string(row.seq_q) + " " + tile_text(point.tiling));
    judge.equal("NaN rows", lost, row.lost);
    if (row.seq_q <= longest_run) judge.equal("NaN rows of a run", lost_in_numbers(point, row.walk), lost);
    table.rows.push_back({row.seq_q, row.seq_k, row.block_q, row.block_k, row.window ? Cell(*row.window) : Cell(),
                          row.walk == Walk::ascending ? "forward" : "reversed", lost, row.lost, judge.verdict()});
  }
  table.notes = {
      "causal, bottom-right aligned. A row is lost when the first tile that its row block visits holds none of its "
      "keys, or when it sees no key at all; counted by that rule and, up to N = 1,024, in a run of flash2 (--unsafe)",
      "the simulator and the kernels guard: such rows give O = 0"};
  return table;
}

}  // namespace tilemeter::tables
