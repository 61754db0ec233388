// Traffic at N = 4096, d = 64 with the tiles that each rule chooses, and whether these fit.
#include "tools/output/number.hpp"
#include "tools/tables/all.hpp"
#include "tools/tables/judge.hpp"
#include "tools/tables/points.hpp"

namespace tilemeter::tables {
namespace {

constexpr Count seq = 4096;
constexpr Count head_dim = 64;

/// How the tiles of a column are chosen.
enum class Choice { flash1_paper, flash1_fit, flash1_optimum, flash2_optimum, flash2_paper, flash2_swapped };

constexpr std::size_t choices = 6;
constexpr const char* choice_text[choices] = {
    "flash1, paper's tile",  "flash1, largest fitting Br = min(Bc, d)", "flash1, least traffic",
    "flash2, least traffic", "flash2, flash1's paper tile kept",        "flash2, paper tile, roles swapped"};

/// Sizes and traffic of every choice at one M, from an exhaustive search that is not part of this program.
struct Known {
  Count capacity;
  struct {
    Count block_q;
    Count block_k;
    Count traffic;
  } rows[choices];
};

constexpr Known known[] = {
    {12500,
     {{49, 49, 67960832},
      {41, 41, 80805888},
      {1, 95, 35848192},
      {94, 1, 23597056},
      {49, 49, 44568576},
      {49, 49, 44568576}}},
    {25000,
     {{64, 98, 34242560},
      {64, 86, 39059456},
      {1, 192, 18186240},
      {189, 1, 12062720},
      {64, 98, 34082816},
      {98, 64, 22548480}}},
    {50000,
     {{64, 196, 17383424},
      {64, 217, 15777792},
      {1, 386, 9355264},
      {380, 1, 6295552},
      {64, 196, 34082816},
      {196, 64, 11538432}}},
    {100000,
     {{64, 391, 9355264},
      {64, 477, 7749632},
      {1, 774, 5341184},
      {762, 1, 3674112},
      {64, 391, 34082816},
      {391, 64, 6295552}}},
    {200000,
     {{64, 782, 5341184},
      {64, 998, 4538368},
      {1, 1549, 2932736},
      {1525, 1, 2101248},
      {64, 782, 34082816},
      {782, 64, 3674112}}},
};

std::string_view algorithm_of(Choice choice) { return choice <= Choice::flash1_optimum ? "flash1" : "flash2"; }

Case point_of(Choice choice, Count capacity) {
  const Case head = one_head(seq, head_dim);
  switch (choice) {
    case Choice::flash1_fit:
      return ruled("flash1", head, BlockRule::fit, capacity);
    case Choice::flash1_optimum:
      return ruled("flash1", head, BlockRule::optimum, capacity);
    case Choice::flash2_optimum:
      return ruled("flash2", head, BlockRule::optimum, capacity);
    case Choice::flash1_paper:
    case Choice::flash2_paper:
      return ruled("flash1", head, BlockRule::paper, capacity);
    case Choice::flash2_swapped: {
      const Tiling paper = ruled("flash1", head, BlockRule::paper, capacity).tiling;
      return tiled(head, paper.block_k, paper.block_q);
    }
  }
  return head;
}

/// The size that the traffic depends on is the one known; a least-traffic tile may widen the other for nothing.
void compare_sizes(Judge& judge, Choice choice, const Tiling& tiling, Count block_q, Count block_k) {
  if (choice != Choice::flash1_optimum) judge.equal("Br", tiling.block_q, block_q);
  if (choice != Choice::flash2_optimum) judge.equal("Bc", tiling.block_k, block_k);
}

void add_row(Table& table, const Known& at, std::size_t index, Count standard) {
  const auto choice = static_cast<Choice>(index);
  const Case point = point_of(choice, at.capacity);
  const Billed billed = bill(algorithm_of(choice), point);
  const double share = static_cast<double>(billed.needed.value()) / static_cast<double>(at.capacity);
  Judge judge(table, "M " + std::to_string(at.capacity) + ", " + choice_text[index]);
  judge.counts(billed.counted, billed.closed);
  compare_sizes(judge, choice, point.tiling, at.rows[index].block_q, at.rows[index].block_k);
  judge.equal("traffic", billed.elements(), at.rows[index].traffic);
  if (share > 1) judge.infeasible("needs x" + fixed(share, 3) + " of M");
  table.rows.push_back(
      {at.capacity, choice_text[index], point.tiling.block_q, point.tiling.block_k, elements_cell(billed.needed),
       billed.elements(), billed.closed.total().total().value(), at.rows[index].traffic,
       Decimal{static_cast<double>(standard) / static_cast<double>(billed.elements()), 2}, judge.verdict()});
}

}  // namespace

Table fitting() {
  Table table;
  table.columns = {{"M", "elements"},       {"tiles", ""},           {"Br", "rows"},          {"Bc", "rows"},
                   {"needed", "elements"},  {"counted", "elements"}, {"formula", "elements"}, {"reference", "elements"},
                   {"standard/tiled", "x"}, {"verdict", ""}};
  const Billed standard = bill("standard", one_head(seq, head_dim));
  for (const Known& at : known) {
    for (std::size_t index = 0; index < choices; ++index) add_row(table, at, index, standard.elements());
  }
  table.notes = {"standard moves " + with_separators(standard.elements()) + " elements",
                 "swapping the loops but keeping the tile makes flash2 move more than flash1: its traffic goes with "
                 "1/Br, flash1's with 1/Bc. Compare at equal M with tiles chosen per loop order"};
  return table;
}

}  // namespace tilemeter::tables
