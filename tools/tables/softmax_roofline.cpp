// Module 08, step 2: what the softmax of a materialised score matrix can reach of an A100.
#include "model/device.hpp"
#include "tools/tables/all.hpp"
#include "tools/tables/judge.hpp"
#include "tools/tables/points.hpp"

namespace tilemeter::tables {
namespace {

/// FLOPs that the module assumes for one element: subtract the maximum, exponential, sum, divide.
constexpr double flops_per_score = 5;

void add_row(Table& table, const std::string& quantity, double value, const char* unit, const Printed& reference,
             int decimals) {
  Judge judge(table, quantity);
  judge.rounds(quantity, value, reference);
  table.rows.push_back({quantity, Decimal{value, decimals}, reference.cell(), unit, judge.verdict()});
}

}  // namespace

Table softmax_roofline() {
  Table table;
  table.columns = {{"quantity", ""}, {"value", ""}, {"reference", ""}, {"unit", ""}, {"verdict", ""}};
  const Device a100 = load_device("a100-80gb");
  const double balance = a100.require_rate(ComputeUnit::tensor, DType::bf16).value / a100.hbm.bandwidth.value;
  const Billed standard = bill("standard", two_byte_head(4096, 64));
  const Bytes moved = standard.counted[TensorName::S].read_bytes + standard.counted[TensorName::P].write_bytes;
  const double intensity =
      flops_per_score * static_cast<double>(standard.counted.exp.scores) / static_cast<double>(moved.value());
  add_row(table, "A100 balance", balance, "FLOP/B", Printed("153"), 2);
  add_row(table, "softmax intensity", intensity, "FLOP/B", Printed("1.25"), 2);
  add_row(table, "usable share of peak", 100 * intensity / balance, "%", Printed("0.8"), 2);
  table.notes = {"balance: dense bf16 peak over memory bandwidth of a100-80gb",
                 "intensity: 5 FLOP a score (assumed) over S read and P written by the softmax, counted at N = 4096"};
  return table;
}

}  // namespace tilemeter::tables
