// Rabe & Staats: what chunks of queries and keys move, and what memory they need beside inputs and output.
#include <cmath>

#include "model/closed_form/catalog.hpp"
#include "model/closed_form/chunked.hpp"
#include "tools/tables/all.hpp"
#include "tools/tables/judge.hpp"
#include "tools/tables/points.hpp"

namespace tilemeter::tables {
namespace {

constexpr Count head_dim = 64;
constexpr Count query_chunk = 1024;

Case point_of(Count seq, Count key_chunk, Variant variant) {
  Case point = tiled(one_head(seq, head_dim), query_chunk, key_chunk);
  point.options.variant = variant;
  return point;
}

Count workspace_elements(const Case& point) { return workspace_of("chunked", point)->elements.value(); }

/// The key chunk of least workspace, by trying all.
Count best_key_chunk(Count seq, Variant variant) {
  Count best = 1;
  for (Count keys = 2; keys <= seq; ++keys) {
    if (workspace_elements(point_of(seq, keys, variant)) < workspace_elements(point_of(seq, best, variant)))
      best = keys;
  }
  return best;
}

std::string decimal_megabytes(Bytes bytes) {
  const Count tenths = (bytes.value() + 50'000) / 100'000;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " MB";
}

struct Known {
  Variant variant;
  Count moved;
  Count bytes;
  Count workspace;
};

constexpr Known known[] = {{Variant::onchip, 2621440, 5242880, 4390912},
                           {Variant::fused, 37224448, 143654912, 4390912},
                           {Variant::unfused, 120848384, 310902784, 4456448}};

void add_known(Table& table, const Known& row) {
  const Case point = point_of(4096, 64, row.variant);
  const Billed billed = bill("chunked", point);
  const Count workspace = workspace_elements(point);
  Judge judge(table, std::string(name_of(row.variant)));
  judge.counts(billed.counted, billed.closed)
      .equal("moved", billed.elements(), row.moved)
      .equal("bytes", billed.bytes().value(), row.bytes)
      .equal("workspace", workspace, row.workspace);
  table.rows.push_back({Count{4096}, std::string(name_of(row.variant)), Count{64}, billed.elements(), row.moved,
                        billed.bytes().value(), row.bytes, workspace, row.workspace, judge.verdict()});
}

/// The key chunk of least workspace lies by sqrt(N(d + 2)), where it is 2 Cq sqrt(N(d + 2)).
void add_least(Table& table, Count seq) {
  const Count keys = best_key_chunk(seq, Variant::onchip);
  const Case point = point_of(seq, keys, Variant::onchip);
  const Billed billed = bill("chunked", point);
  const double root = std::sqrt(static_cast<double>(seq) * (head_dim + 2));
  const Count workspace = workspace_elements(point);
  const Count expected = std::llround(2 * static_cast<double>(query_chunk) * root);
  Judge judge(table, "least workspace, N " + std::to_string(seq));
  judge.counts(billed.counted, billed.closed)
      .close("key chunk / sqrt(N(d + 2))", static_cast<double>(keys) / root, 1, 0.1)
      .close("workspace / 2 Cq sqrt(N(d + 2))", static_cast<double>(workspace) / static_cast<double>(expected), 1,
             0.06);
  table.rows.push_back({seq, std::string("onchip, least workspace"), keys, billed.elements(), Cell(),
                        billed.bytes().value(), Cell(), workspace, expected, judge.verdict()});
}

}  // namespace

Table chunked() {
  Table table;
  table.columns = {{"N", "rows"},
                   {"variant", ""},
                   {"Ck", "keys"},
                   {"moved", "elements"},
                   {"moved ref.", "elements"},
                   {"moved", "B"},
                   {"moved ref.", "B"},
                   {"workspace", "elements"},
                   {"workspace ref.", "elements"},
                   {"verdict", ""}};
  for (const Known& row : known) add_known(table, row);
  for (const Count seq : {4096, 16384, 65536}) add_least(table, seq);

  const Billed fused = bill("chunked", point_of(4096, 64, Variant::fused));
  const Billed standard = bill("standard", one_head(4096, head_dim));
  Judge spilled(table, "summaries that the fused variant spills");
  spilled.equal("part", fused.counted[TensorName::part].write.value(), 17301504)
      .equal("part", fused.counted[TensorName::part].read.value(), 17301504);
  table.notes = {
      "d = 64, query chunks of 1024, fp16 operands, fp32 summaries; workspace: scores and summaries of one query "
      "chunk, "
      "wherever they lie",
      "chunks save memory, not traffic: at N = 4096 the fused variant moves " + decimal_megabytes(fused.bytes()) +
          " (" + std::to_string(fused.counted[TensorName::part].write.value()) +
          " elements of summaries written, as many read), standard attention " + decimal_megabytes(standard.bytes()),
      "least workspace over all key chunks: near Ck = sqrt(N(d + 2)), 2 Cq sqrt(N(d + 2)) elements (the reference of "
      "these rows, of which a ragged last chunk takes up to 6 % off), so Theta(sqrt N)"};
  return table;
}

}  // namespace tilemeter::tables
