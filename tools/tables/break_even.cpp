// Module 08, practice 1: the smallest M at which a tiled algorithm moves no more than standard attention.
#include "model/complexity/break_even.hpp"
#include "model/closed_form/catalog.hpp"
#include "tools/tables/all.hpp"
#include "tools/tables/judge.hpp"
#include "tools/tables/points.hpp"

namespace tilemeter::tables {
namespace {

constexpr Count head_dim = 64;

/// An algorithm with the rule for its tiles. The paper's rule is taken as it stands, whether or not it fits.
struct Contender {
  std::string_view algorithm;
  complexity::TileChoice tiles;
  const char* text;
};

constexpr Contender paper = {"flash1", complexity::TileChoice::paper, "flash1, paper's tile (need not fit)"};

constexpr complexity::Contender idealised = {"standard", complexity::TileChoice::untiled};
constexpr complexity::Contender at_same_m = {"standard", complexity::TileChoice::panels};

Work billed_in_closed_form(std::string_view algorithm, const Case& point) { return closed_form(algorithm, point); }

complexity::BreakEven break_even_of(Count seq, const Contender& contender, const complexity::Contender& standard) {
  return complexity::break_even({{contender.algorithm, contender.tiles}, standard}, seq, head_dim,
                                billed_in_closed_form);
}

struct Known {
  Contender contender;
  Count against_idealised;
  Count against_same_m;
};

constexpr Known known[] = {
    {paper, 12289, 10241},
    {{"flash1", complexity::TileChoice::fit, "flash1, largest fitting Br = min(Bc, d)"}, 15043, 12943},
    {{"flash1", complexity::TileChoice::optimum, "flash1, least traffic"}, 6451, 3613},
    {{"flash2", complexity::TileChoice::optimum, "flash2, least traffic"}, 4320, 1962},
};

void add_row(Table& table, const Known& row, const complexity::Contender& standard, const char* opponent,
             Count reference) {
  constexpr Count seq = 4096;
  const complexity::BreakEven found = break_even_of(seq, row.contender, standard);
  const Count capacity = found.capacity.value_or(0);
  Case point = one_head(seq, head_dim);
  point.tiling = found.tiling;
  const Billed billed = bill(row.contender.algorithm, point);
  Judge judge(table, std::string(row.contender.text) + " against " + opponent);
  judge.counts(billed.counted, billed.closed).equal("M", capacity, reference);
  if (billed.needed.value() > capacity) {
    judge.infeasible("needs " + std::to_string(billed.needed.value()) + " elements");
  }
  table.rows.push_back({row.contender.text, opponent, capacity, reference,
                        Decimal{static_cast<double>(2 * capacity) / 1024, 1}, point.tiling.block_q,
                        point.tiling.block_k, billed.elements(), found.opponent_moved.value(), judge.verdict()});
}

}  // namespace

Table break_even() {
  Table table;
  table.columns = {{"tiles", ""},  {"standard", ""}, {"M", "elements"},     {"M ref.", "elements"},   {"M", "KiB"},
                   {"Br", "rows"}, {"Bc", "rows"},   {"moved", "elements"}, {"standard", "elements"}, {"verdict", ""}};
  for (const Known& row : known) add_row(table, row, idealised, "idealised", row.against_idealised);
  for (const Known& row : known) add_row(table, row, at_same_m, "with the same M", row.against_same_m);
  table.notes = {
      "N = 4096, d = 64; the first M from 4d + 3 on; KiB at two bytes an element, to be compared with about "
      "100 KB that the paper calls typical",
      "standard with the same M: the table standard-at-m"};
  return table;
}

Table break_even_vs_n() {
  struct KnownLength {
    Count seq;
    Count capacity;
  };
  constexpr KnownLength lengths[] = {{512, 11777},  {1024, 12289},  {2048, 12289},  {4096, 12289},
                                     {8192, 12545}, {16384, 12289}, {32768, 12289}, {65536, 12289}};
  Table table;
  table.columns = {{"N", "rows"},  {"M", "elements"}, {"M ref.", "elements"},
                   {"Bc", "rows"}, {"passes", ""},    {"verdict", ""}};
  for (const KnownLength& row : lengths) {
    const complexity::BreakEven found = break_even_of(row.seq, paper, idealised);
    const Count capacity = found.capacity.value_or(0);
    const Count block_k = found.tiling.block_k;
    Judge judge(table, "N " + std::to_string(row.seq));
    judge.equal("M", capacity, row.capacity);
    table.rows.push_back({row.seq, capacity, row.capacity, block_k, ceil_div(row.seq, block_k), judge.verdict()});
  }
  table.notes = {
      "flash1 with the paper's tile against idealised standard, d = 64; not monotone in N, because passes over "
      "Q are whole numbers: ceil(N / Bc)"};
  return table;
}

}  // namespace tilemeter::tables
