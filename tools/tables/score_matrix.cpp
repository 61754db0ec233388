// Module 08, step 2: the score matrix against its operands.
#include "model/closed_form/catalog.hpp"
#include "tools/tables/all.hpp"
#include "tools/tables/judge.hpp"
#include "tools/tables/points.hpp"

namespace tilemeter::tables {
namespace {

struct PrintedRow {
  Count seq;
  const char* operands;
  const char* scores;
  const char* both;
  const char* ratio;
};

constexpr PrintedRow printed[] = {
    {1024, "0.5", "2", "4", "8"},
    {4096, "2.0", "32", "64", "32"},
    {16384, "8.0", "512", "1024", "128"},
    {65536, "32.0", "8192", "16384", "512"},
};

void add_row(Table& table, const PrintedRow& row) {
  const Case point = two_byte_head(row.seq, 64);
  const Billed standard = bill("standard", point);
  const Bytes operands = compulsory("standard", point).total().total_bytes();
  const Bytes scores(standard.counted[TensorName::S].write_bytes);
  const Bytes both = scores + standard.counted[TensorName::P].write_bytes;
  const double ratio = mebibytes(both) / mebibytes(operands);
  const Printed ref_operands(row.operands), ref_scores(row.scores), ref_both(row.both), ref_ratio(row.ratio);
  Judge judge(table, "N " + std::to_string(row.seq));
  judge.counts(standard.counted, standard.closed)
      .rounds("Q,K,V,O", mebibytes(operands), ref_operands)
      .rounds("S", mebibytes(scores), ref_scores)
      .rounds("S + P", mebibytes(both), ref_both)
      .rounds("(S+P)/QKVO", ratio, ref_ratio);
  table.rows.push_back({row.seq, mebibytes_cell(operands, 1), ref_operands.cell(), mebibytes_cell(scores, 0),
                        ref_scores.cell(), mebibytes_cell(both, 0), ref_both.cell(), Decimal{ratio, 0},
                        ref_ratio.cell(), judge.verdict()});
}

}  // namespace

Table score_matrix() {
  Table table;
  table.columns = {{"N", "rows"},         {"Q,K,V,O", "MiB"},  {"Q,K,V,O ref.", "MiB"},
                   {"S", "MiB"},          {"S ref.", "MiB"},   {"S + P", "MiB"},
                   {"S + P ref.", "MiB"}, {"(S+P)/QKVO", "x"}, {"(S+P)/QKVO ref.", "x"},
                   {"verdict", ""}};
  for (const PrintedRow& row : printed) add_row(table, row);
  table.notes = {"one head, d = 64, fp16; S and P as counted at their writes, Q,K,V,O each once"};
  return table;
}

}  // namespace tilemeter::tables
