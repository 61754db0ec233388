// For which M the tiles of the paper's rule fit into M.
#include "model/footprint.hpp"
#include "tools/tables/all.hpp"
#include "tools/tables/judge.hpp"
#include "tools/tables/points.hpp"

namespace tilemeter::tables {
namespace {

/// M from `first` to `last` elements, all of which fit.
struct Interval {
  Count first;
  Count last;
};

bool paper_tiles_fit(Count head_dim, Count capacity) {
  const Case point = ruled("flash1", one_head(1 << 20, head_dim), BlockRule::paper, capacity);
  return overflow_of("flash1", point, elements_on_chip(capacity)) == 0;
}

/// All intervals that end below `limit`, and the one that reaches it.
std::vector<Interval> fitting_intervals(Count head_dim, Count limit) {
  std::vector<Interval> intervals;
  for (Count capacity = 1; capacity <= limit; ++capacity) {
    if (!paper_tiles_fit(head_dim, capacity)) continue;
    if (intervals.empty() || intervals.back().last + 1 < capacity) intervals.push_back({capacity, capacity});
    intervals.back().last = capacity;
  }
  return intervals;
}

void add_rows(Table& table, Count d) {
  const Count square = 8 * d * d;
  const Count limit = square + 40 * d;
  const std::vector<Interval> expected = {{square + 8 * d, square + 8 * d},
                                          {square + 11 * d, square + 12 * d},
                                          {square + 14 * d, square + 16 * d},
                                          {square + 17 * d, limit}};
  const std::vector<Interval> found = fitting_intervals(d, limit);
  Judge intervals(table, "d " + std::to_string(d));
  intervals.equal("intervals", static_cast<Count>(found.size()), static_cast<Count>(expected.size()));
  for (std::size_t i = 0; i < std::min(found.size(), expected.size()); ++i) {
    Judge judge(table, "d " + std::to_string(d) + ", interval " + std::to_string(i + 1));
    judge.equal("from", found[i].first, expected[i].first).equal("to", found[i].last, expected[i].last);
    const bool reaches_limit = found[i].last == limit;
    table.rows.push_back({d, found[i].first, expected[i].first, found[i].last, expected[i].last,
                          judge.verdict() + (reaches_limit ? "; and every larger M" : "")});
  }
}

}  // namespace

Table paper_rule_fits() {
  Table table;
  table.columns = {{"d", ""},
                   {"fits from M", "elements"},
                   {"from, formula", "elements"},
                   {"to M", "elements"},
                   {"to, formula", "elements"},
                   {"verdict", ""}};
  for (const Count d : {16, 32, 64}) add_rows(table, d);
  table.notes = {
      "every M from 1 to 8d^2 + 40d tried; formula: 8d^2 + 8d, [8d^2 + 11d, 8d^2 + 12d], "
      "[8d^2 + 14d, 8d^2 + 16d], and from 8d^2 + 17d on",
      "up to M = 4d^2 the tiles always overflow: K, V, Q, O alone take 4d Bc >= M"};
  return table;
}

}  // namespace tilemeter::tables
