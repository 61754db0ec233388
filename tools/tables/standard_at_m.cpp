// Standard attention charged for the same memory on chip as the tiled algorithms.
#include "model/closed_form/standard_at_capacity.hpp"
#include "tools/tables/all.hpp"
#include "tools/tables/judge.hpp"
#include "tools/tables/points.hpp"

namespace tilemeter::tables {
namespace {

constexpr Count seq = 4096;
constexpr Count head_dim = 64;

struct Known {
  Count capacity;
  Count traffic;
  const char* ratio;
};

constexpr Known known[] = {
    {12500, 79167488, "1.162"}, {25000, 73400320, "1.077"}, {50000, 70778880, "1.038"}, {100000, 69206016, "1.015"}};

}  // namespace

Table standard_at_m() {
  Table table;
  table.columns = {{"M", "elements"},
                   {"panel", "rows"},
                   {"passes", ""},
                   {"traffic", "elements"},
                   {"reference", "elements"},
                   {"vs idealised", "x"},
                   {"vs idealised ref.", "x"},
                   {"flash1 fitting", "elements"},
                   {"verdict", ""}};
  const Count idealised = bill("standard", one_head(seq, head_dim)).elements();
  for (const Known& row : known) {
    const StandardAtCapacity standard = standard_at_capacity(seq, head_dim, Elements(row.capacity));
    const double ratio = static_cast<double>(standard.total.value()) / static_cast<double>(idealised);
    const Case fitting = ruled("flash1", one_head(seq, head_dim), BlockRule::fit, row.capacity);
    const Printed ratio_ref(row.ratio);
    Judge judge(table, "M " + std::to_string(row.capacity));
    judge.equal("traffic", standard.total.value(), row.traffic).rounds("vs idealised", ratio, ratio_ref);
    table.rows.push_back({row.capacity, standard.panel_rows, standard.panels, elements_cell(standard.total),
                          row.traffic, Decimal{ratio, 3}, ratio_ref.cell(), closed_elements("flash1", fitting),
                          judge.verdict()});
  }
  table.notes = {
      "N = 4096, d = 64: 4N^2 + (2T + 2)Nd with T = ceil(N / bm) panels of bm = floor((M - d)/(d + 1)) rows; "
      "idealised is 4N^2 + 4Nd"};
  return table;
}

}  // namespace tilemeter::tables
