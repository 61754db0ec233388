// Bills, counted, by formula, and as verified elsewhere.
#include "tools/tables/all.hpp"
#include "tools/tables/golden_rows.hpp"
#include "tools/tables/judge.hpp"
#include "tools/tables/points.hpp"

namespace tilemeter::tables {
namespace {

void compare(Judge& judge, const char* figure, Count computed, const std::optional<Count>& reference) {
  if (reference) judge.equal(figure, computed, *reference);
}

void add_row(Table& table, const GoldenRow& row) {
  const Billed billed = bill(row.algorithm, row.point);
  const Traffic total = billed.counted.total();
  Judge judge(table, std::string(row.algorithm) + " " + row.text);
  judge.counts(billed.counted, billed.closed)
      .equal("read", total.read.value(), row.read)
      .equal("write", total.write.value(), row.write)
      .equal("bytes", total.total_bytes().value(), row.bytes)
      .equal("FLOP", billed.counted.matmul_flops.value(), row.flops);
  compare(judge, "exp of scores", billed.counted.exp.scores, row.scores);
  compare(judge, "exp to rescale", billed.counted.exp.rescale, row.rescale);
  compare(judge, "needed", billed.needed.value(), row.needed);
  compare(judge, "tiles", billed.counted.tiles, row.tiles);
  table.rows.push_back({row.algorithm, row.text, total.read.value(), row.read, total.write.value(), row.write,
                        total.total_bytes().value(), row.bytes, billed.counted.matmul_flops.value(), row.flops,
                        billed.counted.exp.scores, billed.counted.exp.rescale, elements_cell(billed.needed),
                        billed.counted.tiles, judge.verdict()});
}

}  // namespace

Table golden() {
  Table table;
  table.columns = {{"algorithm", ""},       {"case", ""},
                   {"read", "elements"},    {"read ref.", "elements"},
                   {"write", "elements"},   {"write ref.", "elements"},
                   {"moved", "B"},          {"moved ref.", "B"},
                   {"matmul", "FLOP"},      {"matmul ref.", "FLOP"},
                   {"exp", "scores"},       {"exp", "rescale"},
                   {"on chip", "elements"}, {"visited", "tiles"},
                   {"verdict", ""}};
  for (const GoldenRow& row : golden_rows()) add_row(table, row);
  table.notes = {
      "fp16 operands, fp32 statistics; tiles (Br, Bc), d = 64 where not said; per tensor the count equals the "
      "formula"};
  return table;
}

}  // namespace tilemeter::tables
