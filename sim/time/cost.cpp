#include "sim/time/cost.hpp"

#include <cmath>

#include "model/unit_amounts.hpp"

namespace tilemeter {
namespace {

double& at(UnitClocks& clocks, SmUnit unit) { return clocks[static_cast<std::size_t>(unit)]; }

double ratio(Count amount, double rate) { return amount == 0 ? 0 : static_cast<double>(amount) / rate; }

}  // namespace

Bytes operand_bytes(const Product& product, const Execution& execution) {
  const bool empty = product.m == 0 || product.n == 0 || product.k == 0;
  if (empty || execution.matrix == MatrixPath::scalar) return Bytes(0);
  Bytes bytes;
  if (product.a == Space::shared) bytes += bytes_of(rows_of_a(product.m, execution), product.k, product.type);
  if (product.b == Space::shared) {
    bytes += reads_of_b(product.m, execution) * bytes_of(product.n, product.k, product.type);
  }
  return bytes;
}

UnitClocks clocks_of(const Op& op, const Execution& execution, const MachineRates& rates, Space arrives) {
  UnitClocks clocks{};
  const bool scalar = execution.matrix == MatrixPath::scalar;
  at(clocks, scalar ? SmUnit::fma : SmUnit::tensor) = ratio(op.matmul_flops.value(), rates.tensor);
  at(clocks, SmUnit::fma) += ratio(op.scalars.fma, rates.fma);
  at(clocks, SmUnit::alu) = ratio(op.scalars.alu, rates.alu);
  at(clocks, SmUnit::exp) = ratio(op.exp.total(), rates.exp);
  const Bytes brought = op.unit == Unit::memory && arrives == Space::shared ? op.traffic.read_bytes : Bytes(0);
  at(clocks, SmUnit::shared) = ratio((operand_bytes(op.product, execution) + brought).value(), rates.shared);
  return clocks;
}

UnitClocks lost_clocks(const UnitClocks& clocks, const MachineRates& rates) {
  const auto of = [&](SmUnit unit) { return clocks[static_cast<std::size_t>(unit)]; };
  UnitClocks lost{};
  at(lost, SmUnit::tensor) = of(SmUnit::exp) * rates.stalls_tensor.exp + of(SmUnit::fma) * rates.stalls_tensor.fma +
                             of(SmUnit::alu) * rates.stalls_tensor.alu;
  at(lost, SmUnit::exp) = of(SmUnit::tensor) * rates.tensor_stalls.exp;
  at(lost, SmUnit::fma) = of(SmUnit::tensor) * rates.tensor_stalls.fma;
  at(lost, SmUnit::alu) = of(SmUnit::tensor) * rates.tensor_stalls.alu;
  return lost;
}

Picoseconds to_picoseconds(double clocks, const MachineRates& rates) {
  // A whole number of picoseconds stays what it is, whatever the last bit of the division.
  const double exact = clocks * 1e12 / rates.clock_hz;
  return static_cast<Picoseconds>(std::ceil(exact * (1 - 1e-12)));
}

}  // namespace tilemeter
