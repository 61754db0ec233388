// Linear attention: what its orders move and compute, and from which length on the state takes fewer FLOPs.
#include <utility>

#include "tools/tables/all.hpp"
#include "tools/tables/judge.hpp"
#include "tools/tables/points.hpp"

namespace tilemeter::tables {
namespace {

Case point_of(Count seq, Count d, Count d_v, Variant variant) {
  Case point = one_head(seq, d);
  point.problem.head_dim_v = d_v;
  point.options.variant = variant;
  if (variant == Variant::causal_chunks) point.problem.mask.kind = MaskKind::causal;
  return point;
}

/// Reads, writes and FLOPs of one order, written out.
struct Formulas {
  Count read;
  Count write;
  Count flops;
};

Formulas formulas_of(Count n, Count d, Count e, Variant variant) {
  const Count inputs = 2 * n * d + n * e;
  const Count state_flops = 4 * n * d * e;
  switch (variant) {
    case Variant::scores:
      return {inputs + n * n, n * n + n * e, 2 * n * n * (d + e)};
    case Variant::state_memory:
      return {inputs + d * e, n * e + d * e, state_flops};
    case Variant::causal_chunks: {
      const Count chunk = Options{}.chunk;
      const Count full = (ceil_div(n, chunk) - 1) * chunk;
      return {inputs, n * e, 2 * (full * chunk + (n - full) * (n - full)) * (d + e) + state_flops};
    }
    default:
      return {inputs, n * e, state_flops};
  }
}

void add_row(Table& table, Count n, Count d, Count e, Variant variant) {
  const Billed billed = bill("linear_attention", point_of(n, d, e, variant));
  const Traffic total = billed.counted.total();
  const Formulas formulas = formulas_of(n, d, e, variant);
  const std::string name(name_of(variant));
  Judge judge(table, name + ", N " + std::to_string(n) + ", d " + std::to_string(d) + ", dv " + std::to_string(e));
  judge.counts(billed.counted, billed.closed)
      .equal("read", total.read.value(), formulas.read)
      .equal("write", total.write.value(), formulas.write)
      .equal("FLOP", billed.counted.matmul_flops.value(), formulas.flops);
  table.rows.push_back({d, e, Decimal{2.0 * static_cast<double>(d * e) / static_cast<double>(d + e), 1}, n, name,
                        total.read.value(), formulas.read, total.write.value(), formulas.write,
                        billed.counted.matmul_flops.value(), formulas.flops,
                        billed.needed.value() == 0 ? Cell() : elements_cell(billed.needed), judge.verdict()});
}

}  // namespace

Table linear_attention() {
  Table table;
  table.columns = {{"d", ""},
                   {"dv", ""},
                   {"N*", "rows"},
                   {"N", "rows"},
                   {"order", ""},
                   {"read", "elements"},
                   {"formula", "elements"},
                   {"write", "elements"},
                   {"formula", "elements"},
                   {"matmul", "FLOP"},
                   {"formula", "FLOP"},
                   {"on chip", "elements"},
                   {"verdict", ""}};
  for (const Variant variant : {Variant::scores, Variant::state_memory, Variant::state, Variant::causal_chunks}) {
    add_row(table, 4096, 64, 64, variant);
    add_row(table, 1000, 64, 128, variant);
  }
  for (const auto& [d, e] : {std::pair<Count, Count>{64, 64}, {128, 128}, {64, 192}}) {
    const Count even = 2 * d * e / (d + e);
    for (const Count n : {even - 1, even, even + 1}) {
      add_row(table, n, d, e, Variant::scores);
      add_row(table, n, d, e, Variant::state);
    }
  }
  table.notes = {
      "the feature map is applied already; chunks of 64 rows; scores is the textbook's bill, every operand of a "
      "product "
      "read once",
      "N* = 2 d dv / (d + dv), d for dv = d: there scores and state take the same FLOPs; below it the scores take "
      "fewer, "
      "above it the state"};
  return table;
}

}  // namespace tilemeter::tables
