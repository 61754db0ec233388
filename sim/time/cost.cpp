#include "sim/time/cost.hpp"

#include <algorithm>
#include <cmath>

namespace tilemeter {
namespace {

constexpr Count wgmma_rows = 64;
constexpr Count mma_rows = 16;
constexpr Count pieces_a_read = 2;  ///< 16-row pieces of a warp that use one read of B

double& at(UnitClocks& clocks, SmUnit unit) { return clocks[static_cast<std::size_t>(unit)]; }

Bytes matrix_bytes(Count rows, Count cols, DType type) { return bytes_of(rows, cols, type); }

Bytes wgmma_bytes(const Product& product) {
  const Count pieces = ceil_div(product.m, wgmma_rows);
  Bytes piece;
  if (product.b == Space::shared) piece += matrix_bytes(product.n, product.k, product.type);
  if (product.a == Space::shared) piece += matrix_bytes(wgmma_rows, product.k, product.type);
  return pieces * piece;
}

Bytes mma_bytes(const Product& product, Count warps) {
  Bytes bytes;
  if (product.a == Space::shared) bytes += matrix_bytes(product.m, product.k, product.type);
  if (product.b != Space::shared) return bytes;
  const Count pieces = ceil_div(product.m, mma_rows);
  const Count busy = std::min(warps, pieces);
  const Count reads = busy * ceil_div(ceil_div(pieces, busy), pieces_a_read);
  return bytes + reads * matrix_bytes(product.n, product.k, product.type);
}

Count all_exponentials(const Exponentials& exp) {
  return checked::add(checked::add(exp.scores, exp.rescale), checked::add(exp.rescale_block, exp.combine));
}

double ratio(Count amount, double rate) { return amount == 0 ? 0 : static_cast<double>(amount) / rate; }

}  // namespace

Bytes operand_bytes(const Product& product, const Execution& execution) {
  if (product.m == 0 || product.n == 0 || product.k == 0) return Bytes(0);
  switch (execution.matrix) {
    case MatrixPath::scalar:
      return Bytes(0);
    case MatrixPath::mma:
      return mma_bytes(product, std::max(Count{1}, execution.math_warps));
    case MatrixPath::wgmma:
      return wgmma_bytes(product);
  }
  return Bytes(0);
}

UnitClocks clocks_of(const Op& op, const Execution& execution, const MachineRates& rates, Space arrives) {
  UnitClocks clocks{};
  const bool scalar = execution.matrix == MatrixPath::scalar;
  at(clocks, scalar ? SmUnit::fma : SmUnit::tensor) = ratio(op.matmul_flops.value(), rates.tensor);
  at(clocks, SmUnit::fma) += ratio(op.scalars.fma, rates.fma);
  at(clocks, SmUnit::alu) = ratio(op.scalars.alu, rates.alu);
  at(clocks, SmUnit::exp) = ratio(all_exponentials(op.exp), rates.exp);
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
