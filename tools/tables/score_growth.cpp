// Week 13, step 2: the score matrix of a layer over the context length.
#include "tools/tables/all.hpp"
#include "tools/tables/judge.hpp"
#include "tools/tables/points.hpp"

namespace tilemeter::tables {
namespace {

constexpr Count heads = 32;
constexpr Count head_dim = 128;
constexpr double gibibyte = 1 << 30;

struct Sizes {
  double scores;   ///< GiB
  double outputs;  ///< GiB
};

Billed layer(Count seq) {
  Case point = two_byte_head(seq, head_dim);
  point.problem.heads = point.problem.kv_heads = heads;
  return bill("standard", point);
}

Sizes sizes_of(const Billed& standard) {
  return {static_cast<double>(standard.counted[TensorName::S].write_bytes.value()) / gibibyte,
          static_cast<double>(standard.counted[TensorName::O].write_bytes.value()) / gibibyte};
}

}  // namespace

Table score_growth() {
  Table table;
  table.columns = {{"N", "rows"}, {"S", "GiB"}, {"S ref.", "GiB"}, {"growth", "x"}, {"O", "GiB"}, {"verdict", ""}};
  for (Count seq = 1024; seq <= 131072; seq *= 2) {
    const Billed standard = layer(seq);
    const Sizes sizes = sizes_of(standard);
    const double growth = sizes.scores / sizes_of(layer(seq / 2)).scores;
    Judge judge(table, "N " + std::to_string(seq));
    judge.counts(standard.counted, standard.closed).close("growth", growth, 4, 0);
    Cell reference;
    if (seq == 4096) {
      reference = Count{1};
      judge.close("S", sizes.scores, 1, 0);
    }
    table.rows.push_back(
        {seq, Decimal{sizes.scores, 4}, reference, Decimal{growth, 2}, Decimal{sizes.outputs, 4}, judge.verdict()});
  }
  table.notes = {"32 heads, d = 128, fp16, one example; growth against half the length",
                 "exactly 1 GiB at N = 4096 whatever the head dimension; the output grows by 2 a row"};
  return table;
}

}  // namespace tilemeter::tables
