// Module 08, step 4: the matrix products of both versions are the same work.
#include "tools/tables/all.hpp"
#include "tools/tables/judge.hpp"
#include "tools/tables/points.hpp"

namespace tilemeter::tables {

Table matmul_flops() {
  Table table;
  table.columns = {{"algorithm", ""}, {"counted", "FLOP"}, {"formula", "FLOP"}, {"reference", "FLOP"}, {"verdict", ""}};
  constexpr Count printed = 256'000'000;
  for (const char* algorithm : {"standard", "flash1", "flash2"}) {
    const Billed billed = bill(algorithm, tiled(one_head(1000, 64), 64, 196));
    const Count counted = billed.counted.matmul_flops.value();
    Judge judge(table, algorithm);
    judge.counts(billed.counted, billed.closed).equal("FLOP", counted, printed);
    table.rows.push_back({algorithm, counted, billed.closed.matmul_flops.value(), printed, judge.verdict()});
  }
  table.notes = {"N = 1000, d = 64, tiles (64, 196), no mask: 4N^2 d"};
  return table;
}

}  // namespace tilemeter::tables
