// What fusing a chain of elementwise operations saves.
#include "tools/tables/all.hpp"
#include "tools/tables/judge.hpp"
#include "tools/tables/points.hpp"

namespace tilemeter::tables {
namespace {

constexpr Count length = 1024;

Billed chain(Variant variant, Count ops, Count sides) {
  Case point;
  point.shapes = {.length = length};
  point.options.variant = variant;
  point.options.ops = ops;
  point.options.side_inputs = sides;
  return bill("elementwise", point);
}

void add_chain(Table& table, Count ops, Count sides, const Printed& ratio) {
  const Billed unfused = chain(Variant::unfused, ops, sides);
  const Billed fused = chain(Variant::fused, ops, sides);
  const double saved = static_cast<double>(unfused.elements()) / static_cast<double>(fused.elements());
  Judge judge(table, std::to_string(ops) + " operations, " + std::to_string(sides) + " side inputs");
  judge.counts(unfused.counted, unfused.closed)
      .counts(fused.counted, fused.closed)
      .equal("unfused", unfused.elements(), (2 * ops + sides) * length)
      .equal("fused", fused.elements(), (2 + sides) * length)
      .rounds("ratio", saved, ratio);
  table.rows.push_back(
      {ops, sides, unfused.elements(), fused.elements(), Decimal{saved, 2}, ratio.cell(), judge.verdict()});
}

}  // namespace

Table fusion() {
  Table table;
  table.columns = {{"operations", ""}, {"side inputs", ""}, {"unfused", "elements"}, {"fused", "elements"},
                   {"ratio", ""},      {"ratio ref.", ""},  {"verdict", ""}};
  add_chain(table, 1, 0, Printed("1.00"));
  add_chain(table, 2, 0, Printed("2.00"));
  add_chain(table, 2, 2, Printed("1.50"));
  add_chain(table, 4, 0, Printed("4.00"));
  add_chain(table, 4, 1, Printed("3.00"));
  add_chain(table, 4, 4, Printed("2.00"));
  table.notes = {
      "N = 1024 elements; k operations move 2kN + sN unfused and 2N + sN fused: k times as much only without "
      "side inputs"};
  return table;
}

}  // namespace tilemeter::tables
