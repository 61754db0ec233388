// Module 08, practice 2: rows that become NaN when tiles come in an order that starts with a fully masked one.
#include <algorithm>
#include <cmath>
#include <limits>

#include "model/geometry.hpp"
#include "model/visibility.hpp"
#include "tools/tables/all.hpp"
#include "tools/tables/judge.hpp"
#include "tools/tables/points.hpp"

namespace tilemeter::tables {
namespace {

enum class Order { forward, reversed };

struct KnownRow {
  Count seq_q;
  Count seq_k;
  Count block_q;
  Count block_k;
  std::optional<Count> window;  ///< keys before the row's own; absent for plain causal
  Order order;
  Count lost;
};

const KnownRow known[] = {
    {300, 300, 64, 100, {}, Order::reversed, 44},    {300, 300, 100, 64, {}, Order::reversed, 212},
    {257, 257, 48, 33, {}, Order::reversed, 147},    {1000, 1000, 64, 196, {}, Order::reversed, 60},
    {4096, 4096, 64, 196, {}, Order::reversed, 520}, {300, 300, 64, 64, {}, Order::reversed, 0},
    {128, 128, 32, 128, {}, Order::reversed, 0},     {1000, 1000, 64, 196, {}, Order::forward, 0},
    {1024, 1024, 64, 64, 100, Order::forward, 392},  {1024, 1024, 64, 64, 128, Order::forward, 0},
    {300, 100, 64, 64, {}, Order::forward, 200},
};

Case point_of(const KnownRow& row) {
  Case point = tiled(one_head(row.seq_q, 1), row.block_q, row.block_k);
  point.problem.seq_k = row.seq_k;
  point.problem.mask = {.kind = row.window ? MaskKind::window : MaskKind::causal, .left = row.window};
  if (row.window) point.problem.mask.right = 0;
  return point;
}

/// The running statistics of a row, without any guard.
struct Unguarded {
  double m = -std::numeric_limits<double>::infinity();
  double l = 0;

  /// Takes in a tile of which the row sees `visible` scores, all zero; the others are -inf.
  void take(Count visible) {
    const double minus_infinity = -std::numeric_limits<double>::infinity();
    const double largest = visible > 0 ? 0.0 : minus_infinity;
    const double m_new = std::fmax(m, largest);
    const double seen = std::exp(0.0 - m_new);
    const double masked = std::exp(minus_infinity - m_new);
    l = std::exp(m - m_new) * l + (visible > 0 ? static_cast<double>(visible) * seen : 0.0) + masked;
    m = m_new;
  }
};

/// Rows that end as NaN when they pass through their visited tiles in `order`, and rows that see no key at all.
Count lost_rows(const Case& point, Order order) {
  const VisitedTiles visited(point.problem, point.tiling);
  const Visibility visibility(point.problem);
  Count lost = 0;
  for (Count row = 0; row < point.problem.seq_q; ++row) {
    const TileRange tiles = visited.keys_of(row / visited.queries().size);
    const KeyRange keys = visibility.keys_of(row);
    Unguarded state;
    for (Count step = 0; step < tiles.length(); ++step) {
      const Count tile = tiles.index(order == Order::forward ? step : tiles.length() - 1 - step);
      const Count first = std::max(tiles.begin(tile), keys.first);
      const Count last = std::min(tiles.begin(tile) + tiles.size_of(tile), keys.last);
      state.take(std::max<Count>(0, last - first));
    }
    const double normalised = state.l / state.l;  // 0 / 0 where no tile was visited
    lost += std::isnan(normalised) ? 1 : 0;
  }
  return lost;
}

}  // namespace

Table nan_rows() {
  Table table;
  table.columns = {{"Nq", "rows"}, {"Nk", "rows"},  {"Br", "rows"},       {"Bc", "rows"}, {"window", "keys"},
                   {"order", ""},  {"NaN", "rows"}, {"NaN ref.", "rows"}, {"verdict", ""}};
  for (const KnownRow& row : known) {
    const Case point = point_of(row);
    const Count lost = lost_rows(point, row.order);
    Judge judge(table, "Nq " + std::to_string(row.seq_q) + " " + tile_text(point.tiling));
    judge.equal("NaN rows", lost, row.lost);
    table.rows.push_back({row.seq_q, row.seq_k, row.block_q, row.block_k, row.window ? Cell(*row.window) : Cell(),
                          row.order == Order::forward ? "forward" : "reversed", lost, row.lost, judge.verdict()});
  }
  table.notes = {
      "causal, bottom-right aligned; each row's m and l updated tile by tile without a guard. A row is lost when "
      "the first tile that it visits holds none of its keys, or when it sees no key at all",
      "the simulator and the kernels guard: such rows give O = 0"};
  return table;
}

}  // namespace tilemeter::tables
