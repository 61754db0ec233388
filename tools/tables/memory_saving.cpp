// Week 13, step 2: how much less memory attention takes without the score matrix: S/H.
#include "tools/tables/all.hpp"
#include "tools/tables/judge.hpp"
#include "tools/tables/points.hpp"

namespace tilemeter::tables {
namespace {

constexpr Count head_dim = 64;

struct Saving {
  double scores_over_output;
  double scores_over_output_and_lse;
  double written_over_output;
};

Saving saving_of(const Billed& standard, const Case& point) {
  const auto bytes = [](Bytes amount) { return static_cast<double>(amount.value()); };
  const Bytes output = bytes_of(standard.counted[TensorName::O].write, point.problem.o_dtype);
  const Bytes scores = standard.counted[TensorName::S].write_bytes;
  const Bytes both = scores + standard.counted[TensorName::P].write_bytes;
  const Bytes kept = written_tensors(bill("flash2", point).counted, point);
  return {bytes(scores) / bytes(output), bytes(scores) / bytes(kept), bytes(both) / bytes(output)};
}

}  // namespace

Table memory_saving() {
  Table table;
  table.columns = {{"S (length)", "rows"},     {"H (head dim)", ""},      {"S x S / O", "x"}, {"S / H ref.", "x"},
                   {"S x S / (O + LSE)", "x"}, {"(scores + P) / O", "x"}, {"verdict", ""}};
  for (Count seq = 256; seq <= 4096; seq *= 2) {
    const Case point = one_head(seq, head_dim);
    const Billed standard = bill("standard", point);
    const Saving saving = saving_of(standard, point);
    Judge judge(table, "S " + std::to_string(seq));
    judge.counts(standard.counted, standard.closed)
        .close("S/H", saving.scores_over_output, static_cast<double>(seq) / head_dim, 0);
    if (seq == 4096) {
      judge.rounds("with LSE", saving.scores_over_output_and_lse, Printed("62.06"))
          .rounds("S and P", saving.written_over_output, Printed("128"))
          .remark("exact for this one ratio only");
    }
    table.rows.push_back({seq, head_dim, Decimal{saving.scores_over_output, 2}, seq / head_dim,
                          Decimal{saving.scores_over_output_and_lse, 2}, Decimal{saving.written_over_output, 2},
                          judge.verdict()});
  }
  table.notes = {
      "fp16, one head; S / H is the score matrix over the output alone. With the fp32 LSE that "
      "the backward pass needs it is 2S / (2H + 4), and standard attention holds scores and P"};
  return table;
}

}  // namespace tilemeter::tables
