// Accesses and exponentials of the softmax by the number of passes over a row.
#include "tools/tables/all.hpp"
#include "tools/tables/judge.hpp"
#include "tools/tables/points.hpp"

namespace tilemeter::tables {
namespace {

constexpr Count rows = 4;
constexpr Count cols = 1000;

Billed softmax(Variant variant) {
  Case point;
  point.shapes = {.rows = rows, .cols = cols};
  point.options.variant = variant;
  return bill("softmax", point);
}

/// Per row: passes that read and write, and exponentials.
struct Reference {
  Count reads;
  Count exponentials;
};

void add_variant(Table& table, Variant variant, const Reference& reference) {
  const Billed billed = softmax(variant);
  const Work& work = billed.counted;
  const Count read = work[TensorName::X].read.value();
  const Count written = work[TensorName::Y].write.value();
  const Count exponentials = work.exp.scores + work.exp.rescale;
  Judge judge(table, std::string(name_of(variant)));
  judge.counts(work, billed.closed)
      .equal("read", read, reference.reads * rows * cols)
      .equal("written", written, rows * cols)
      .equal("exp", exponentials, reference.exponentials * rows);
  table.rows.push_back({std::string(name_of(variant)), read, written, (read + written) / (rows * cols), work.exp.scores,
                        work.exp.rescale, exponentials, judge.verdict()});
}

}  // namespace

Table softmax_passes() {
  Table table;
  table.columns = {{"variant", ""},        {"read", "elements"},  {"written", "elements"}, {"accesses", "an element"},
                   {"exp", "of elements"}, {"exp", "to rescale"}, {"exp", "in all"},       {"verdict", ""}};
  add_variant(table, Variant::naive, {2, 2 * cols});
  add_variant(table, Variant::safe, {3, 2 * cols});
  add_variant(table, Variant::online, {2, 3 * cols - 1});
  add_variant(table, Variant::resident, {1, cols});
  const double ratio =
      static_cast<double>(softmax(Variant::safe).elements()) / static_cast<double>(softmax(Variant::online).elements());
  Judge judge(table, "safe / online");
  judge.rounds("accesses", ratio, Printed("1.33"));
  table.rows.push_back(
      {std::string("safe / online"), Cell(), Cell(), Decimal{ratio, 2}, Cell(), Cell(), Cell(), judge.verdict()});
  table.notes = {
      "4 rows of V = 1000 elements; online as written: 3V - 1 exponentials a row, 2V of elements and V - 1 factors "
      "e^(m_old - m_new); skipping the factors that are e^0 leaves 2V and the new maxima",
      "the 4N^2 of standard attention take the resident row for granted"};
  return table;
}

}  // namespace tilemeter::tables
