// Scores through memory against FlashAttention-2 for an M around d^2.
#include <cmath>

#include "model/closed_form/materialised.hpp"
#include "tools/tables/all.hpp"
#include "tools/tables/judge.hpp"
#include "tools/tables/points.hpp"

namespace tilemeter::tables {
namespace {

constexpr Count seq = 8192;

/// 4 N^2 d / sqrt(M) + 2 N^2, to leading order.
double leading(Count d, Count capacity) {
  const double n = static_cast<double>(seq);
  return 4 * n * n * static_cast<double>(d) / std::sqrt(static_cast<double>(capacity)) + 2 * n * n;
}

Case square_tiles(Count d, Count capacity) {
  const Count side = side_of_square_tile(capacity);
  return tiled(one_head(seq, d), side, side);
}

bool is_worse(Count d, Count capacity) {
  return closed_elements("materialised", square_tiles(d, capacity)) >
         closed_elements("flash2", ruled("flash2", one_head(seq, d), BlockRule::optimum, capacity));
}

std::string row_name(Count d, Count capacity) { return "d " + std::to_string(d) + ", M " + std::to_string(capacity); }

void add_row(Table& table, Count d, Count capacity) {
  const Case squares = square_tiles(d, capacity);
  const Case streaming = ruled("flash2", one_head(seq, d), BlockRule::optimum, capacity);
  const Billed materialised = bill("materialised", squares);
  const Billed flash2 = bill("flash2", streaming);
  const double ratio = static_cast<double>(materialised.elements()) / static_cast<double>(flash2.elements());
  Judge judge(table, row_name(d, capacity));
  judge.counts(materialised.counted, materialised.closed).counts(flash2.counted, flash2.closed);
  if (materialised.needed.value() > capacity) judge.infeasible(row_name(d, capacity));
  table.rows.push_back({d, Decimal{static_cast<double>(capacity) / static_cast<double>(d * d), 2}, capacity,
                        squares.tiling.block_q, materialised.elements(),
                        Decimal{static_cast<double>(materialised.elements()) / leading(d, capacity), 2},
                        streaming.tiling.block_q, flash2.elements(), Decimal{ratio, 3}, judge.verdict()});
}

/// Where the two cross, by trying every M: the first M at which scores through memory move more.
void add_crossing(Table& table, Count d, const char* reference) {
  Count capacity = d * d / 4;
  while (!is_worse(d, capacity)) ++capacity;
  const double share = static_cast<double>(capacity) / static_cast<double>(d * d);
  Judge judge(table, "crossing, d " + std::to_string(d));
  judge.rounds("M / d^2", share, Printed(reference));
  const Case streaming = ruled("flash2", one_head(seq, d), BlockRule::optimum, capacity);
  const Count materialised = closed_elements("materialised", square_tiles(d, capacity));
  const Count flash2 = closed_elements("flash2", streaming);
  judge.remark("first M at which scores through memory move more");
  table.rows.push_back({d, Decimal{share, 2}, capacity, side_of_square_tile(capacity), materialised,
                        Decimal{static_cast<double>(materialised) / leading(d, capacity), 2}, streaming.tiling.block_q,
                        flash2, Decimal{static_cast<double>(materialised) / static_cast<double>(flash2), 3},
                        judge.verdict()});
}

}  // namespace

Table small_cache() {
  Table table;
  table.columns = {{"d", ""},
                   {"M/d^2", ""},
                   {"M", "elements"},
                   {"b", "rows"},
                   {"materialised", "elements"},
                   {"vs 4N^2 d/sqrt(M) + 2N^2", "x"},
                   {"Br", "rows"},
                   {"flash2 optimum", "elements"},
                   {"materialised/flash2", "x"},
                   {"verdict", ""}};
  for (const Count d : {64, 128}) {
    for (const Count percent : {10, 25, 40, 50, 60, 100, 400}) add_row(table, d, d * d * percent / 100);
  }
  add_crossing(table, 32, "0.59");
  add_crossing(table, 64, "0.54");
  add_crossing(table, 128, "0.51");
  table.notes = {
      "N = 8192; materialised: square tiles of side b = floor(sqrt(M + 1)) - 1, 4N^2 d/sqrt(M) + 2N^2 to leading "
      "order; "
      "flash2: the least traffic under M, 4N^2 d^2/M",
      "Saha & Ye: Theta(min(N^2 d^2/M, N^2 d/sqrt(M))), crossing at M = Theta(d^2); with these constants at 0.50 to "
      "0.59 "
      "d^2"};
  return table;
}

}  // namespace tilemeter::tables
