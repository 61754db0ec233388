// Module 08, step 5: tiled traffic over the memory on chip.
#include <cmath>

#include "tools/output/number.hpp"
#include "tools/tables/all.hpp"
#include "tools/tables/judge.hpp"
#include "tools/tables/points.hpp"

namespace tilemeter::tables {
namespace {

constexpr Count seq = 4096;
constexpr Count head_dim = 64;

struct PrintedRow {
  Count capacity;
  Count block_k;
  const char* tiled;
};

constexpr PrintedRow printed[] = {
    {12500, 49, "129.6"}, {25000, 98, "65.3"}, {50000, 196, "33.2"}, {100000, 391, "17.8"}, {200000, 782, "10.2"},
};

/// How much more `traffic` is than `standard`, in percent.
double percent_above(Count traffic, Count standard) {
  return 100 * (static_cast<double>(traffic) / static_cast<double>(standard) - 1);
}

void add_row(Table& table, const PrintedRow& row, Count standard) {
  const Case head = two_byte_head(seq, head_dim);
  const Case point = ruled("flash1", head, BlockRule::paper, row.capacity);
  const Case fitting = ruled("flash1", head, BlockRule::fit, row.capacity);
  const Billed nominal = bill("flash1", point);
  const Billed fit = bill("flash1", fitting);
  const double share = static_cast<double>(nominal.needed.value()) / static_cast<double>(row.capacity);
  const Printed reference(row.tiled);
  Judge judge(table, "M " + std::to_string(row.capacity));
  judge.counts(nominal.counted, nominal.closed)
      .counts(fit.counted, fit.closed)
      .equal("Bc", point.tiling.block_k, row.block_k)
      .rounds("traffic", mebibytes(nominal.bytes()), reference);
  if (share > 1) judge.infeasible("needs x" + fixed(share, 3) + " of M");
  table.rows.push_back({row.capacity, point.tiling.block_k, row.block_k, elements_cell(nominal.needed),
                        nominal.elements(), nominal.closed.total().total().value(), mebibytes_cell(nominal.bytes(), 1),
                        reference.cell(), Decimal{percent_above(nominal.elements(), standard), 1},
                        tile_text(fitting.tiling), fit.elements(), Decimal{percent_above(fit.elements(), standard), 1},
                        judge.verdict()});
}

/// What is left of the advantage at the smallest budget.
std::string smallest_budget_note(Count standard) {
  const Count capacity = printed[0].capacity;
  const auto against = [&](BlockRule rule) {
    const Case point = ruled("flash1", two_byte_head(seq, head_dim), rule, capacity);
    const double percent = percent_above(closed_elements("flash1", point), standard);
    return fixed(std::fabs(percent), 1) + (percent < 0 ? " % less" : " % more");
  };
  return "off: the source says that the advantage is already lost at M = " + with_separators(capacity) +
         "; against standard (" + fixed(mebibytes(Bytes(2 * standard)), 1) + " MiB) the paper's tile moves " +
         against(BlockRule::paper) + ", and the largest tile that fits " + against(BlockRule::fit);
}

}  // namespace

Table traffic_vs_m() {
  Table table;
  table.columns = {{"M", "elements"},
                   {"Bc", "rows"},
                   {"Bc ref.", "rows"},
                   {"needed", "elements"},
                   {"tiled counted", "elements"},
                   {"tiled formula", "elements"},
                   {"tiled", "MiB"},
                   {"tiled ref.", "MiB"},
                   {"vs standard", "%"},
                   {"fitting tile", "rows"},
                   {"fitting", "elements"},
                   {"fitting vs standard", "%"},
                   {"verdict", ""}};
  const Count standard = bill("standard", two_byte_head(seq, head_dim)).elements();
  for (const PrintedRow& row : printed) add_row(table, row, standard);
  table.notes = {"N = 4096, d = 64, two bytes an element; flash1 with the paper's tiles, and with the largest that fit",
                 "off: the source lists M = 12,500 and 25,000 as if their tiles fitted; they do not",
                 smallest_budget_note(standard)};
  return table;
}

}  // namespace tilemeter::tables
