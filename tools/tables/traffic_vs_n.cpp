// Module 08, step 5: traffic of the standard and the tiled forward pass over the length.
#include "tools/tables/all.hpp"
#include "tools/tables/judge.hpp"
#include "tools/tables/points.hpp"

namespace tilemeter::tables {
namespace {

constexpr Count head_dim = 64;
constexpr Count capacity = 50000;

struct PrintedRow {
  Count seq;
  const char* standard;
  const char* tiled;
  const char* ratio;
  const char* growth;  ///< against half the length
};

constexpr PrintedRow printed[] = {
    {512, "2.2", "0.7", "3.2", ""},     {1024, "8.5", "2.5", "3.3", ""}, {2048, "33.0", "8.9", "3.7", ""},
    {4096, "130.0", "33.2", "3.9", ""}, {8192, "", "", "", "3.94"},
};

Case flash1_point(Count seq) { return ruled("flash1", two_byte_head(seq, head_dim), BlockRule::paper, capacity); }

/// Compares with a figure that may not be printed, and gives its cell.
Cell compare(Judge& judge, const char* figure, double computed, const char* digits) {
  if (*digits == '\0') return {};
  const Printed reference(digits);
  judge.rounds(figure, computed, reference);
  return reference.cell();
}

void add_row(Table& table, const PrintedRow& row) {
  const Billed standard = bill("standard", two_byte_head(row.seq, head_dim));
  const Billed flash1 = bill("flash1", flash1_point(row.seq));
  const double ratio = static_cast<double>(standard.elements()) / static_cast<double>(flash1.elements());
  const double growth = static_cast<double>(flash1.elements()) /
                        static_cast<double>(closed_elements("flash1", flash1_point(row.seq / 2)));
  Judge judge(table, "N " + std::to_string(row.seq));
  judge.counts(standard.counted, standard.closed).counts(flash1.counted, flash1.closed);
  const Cell standard_ref = compare(judge, "standard", mebibytes(standard.bytes()), row.standard);
  const Cell tiled_ref = compare(judge, "tiled", mebibytes(flash1.bytes()), row.tiled);
  const Cell ratio_ref = compare(judge, "standard/tiled", ratio, row.ratio);
  const Cell growth_ref = compare(judge, "growth", growth, row.growth);
  table.rows.push_back({row.seq, standard.elements(), mebibytes_cell(standard.bytes(), 1), standard_ref,
                        flash1.elements(), flash1.closed.total().total().value(), mebibytes_cell(flash1.bytes(), 1),
                        tiled_ref, Decimal{ratio, 1}, ratio_ref, Decimal{growth, 2}, growth_ref, judge.verdict()});
}

}  // namespace

Table traffic_vs_n() {
  Table table;
  table.columns = {{"N", "rows"},
                   {"standard", "elements"},
                   {"standard", "MiB"},
                   {"standard ref.", "MiB"},
                   {"tiled counted", "elements"},
                   {"tiled formula", "elements"},
                   {"tiled", "MiB"},
                   {"tiled ref.", "MiB"},
                   {"standard/tiled", "x"},
                   {"standard/tiled ref.", "x"},
                   {"tiled growth", "x"},
                   {"growth ref.", "x"},
                   {"verdict", ""}};
  for (const PrintedRow& row : printed) add_row(table, row);
  table.notes = {
      "standard: 4Nd + 4N^2; tiled: flash1 with tiles (64, 196), 2Nd + Tc(3Nd + 4N); d = 64, two bytes an "
      "element, statistics too",
      "growth of the tiled traffic against half the length: 4 is quadratic, 2 linear"};
  return table;
}

}  // namespace tilemeter::tables
