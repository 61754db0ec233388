#include "model/unit_amounts.hpp"

#include <algorithm>

#include "model/closed_form/catalog.hpp"
#include "model/wide.hpp"

namespace tilemeter {
namespace {

constexpr Count wgmma_rows = 64;  ///< of a warpgroup's instruction
constexpr Count mma_rows = 16;    ///< of a warp's instruction
constexpr Count mma_pieces = 2;   ///< instructions of a warp that share one read of B

/// Operands of Q K^T and of P V, P in registers.
Bytes operand_bytes(const Problem& problem, Count rows, Count keys, const Execution& execution) {
  if (execution.matrix == MatrixPath::scalar) return Bytes(0);
  const DType type = problem.dtype;
  return bytes_of(rows_of_a(rows, execution), problem.head_dim, type) +
         reads_of_b(rows, execution) *
             (bytes_of(keys, problem.head_dim, type) + bytes_of(keys, problem.head_dim_v, type));
}

/// Operations of one number, per score and per element of an output that is rescaled.
struct ScalarCost {
  Count fma = 0;
  Count alu_per_pair = 0;  ///< half operations
};

ScalarCost score_cost(Computation computation) {
  return computation == Computation::gradients ? ScalarCost{3, 2} : ScalarCost{2, 3};
}

/// Elements of outputs that rescale factors multiply; a row of a softmax has its sum alone.
Wide rescaled(Computation computation, const Case& point, const Work& work) {
  if (computation == Computation::softmax) return Wide(work.exp.rescale);
  return (Wide(work.exp.rescale) + Wide(work.exp.rescale_block) + Wide(work.exp.combine)) * point.problem.head_dim_v;
}

void add_scalars(const Formula& formula, const Case& point, const Work& work, UnitAmounts& amounts) {
  const ScalarCost cost = score_cost(formula.computation);
  Wide fma = Wide(work.exp.scores) * cost.fma + rescaled(formula.computation, point, work);
  Wide alu = Wide(work.exp.scores) * cost.alu_per_pair;
  if (formula.computation == Computation::attention && formula.order == LoopOrder::q_outer) {
    const Count outputs = work[TensorName::O].write.value();  // divided by l, and converted
    fma += outputs;
    alu += outputs;
  }
  if (formula.computation == Computation::chain) {
    fma += Wide(point.shapes.length) * point.options.ops * point.problem.batch;
  }
  if (formula.computation == Computation::layer && point.options.weight_type != WeightType::bf16) {
    const Count weights = work[TensorName::W].read.value();
    fma += weights;
    alu += Wide(weights) * 2;
  }
  amounts.fma = fma.narrow();
  amounts.alu = floor_div(alu + 1, 2).narrow();
}

bool is_streamed(const Formula& formula) {
  return formula.computation == Computation::attention &&
         (formula.order == LoopOrder::q_outer || formula.order == LoopOrder::kv_outer);
}

/// Operands of all visited tiles: those of a whole one for every block_q x block_k scores.
Wide streamed_operands(const Case& point, const Work& work, const Execution& execution) {
  const Count rows = std::min(point.tiling.block_q, std::max<Count>(1, point.problem.rows()));
  const Count keys = std::min(point.tiling.block_k, std::max<Count>(1, point.problem.seq_k));
  const Wide tile = operand_bytes(point.problem, rows, keys, execution).value();
  return floor_div(Wide(work.exp.scores) * tile, Wide(rows) * keys);
}

/// A product of unknown tiles: each multiply-add reads a 64th of an element of A and of B.
Wide other_operands(const Case& point, const Work& work, const Execution& execution) {
  if (execution.matrix == MatrixPath::scalar) return 0;
  return floor_div(Wide(work.matmul_flops.value()) * bits_of(point.problem.dtype), Wide(8 * wgmma_rows));
}

UnitAmounts amounts_of(const Formula& formula, const Case& point, const Work& work, const Execution& execution) {
  const Traffic edge = work.total();
  UnitAmounts amounts;
  amounts.products = work.matmul_flops;
  amounts.exp = work.exp.total();
  add_scalars(formula, point, work, amounts);
  const Wide operands =
      is_streamed(formula) ? streamed_operands(point, work, execution) : other_operands(point, work, execution);
  amounts.shared = Bytes((operands + Wide(edge.read_bytes.value())).narrow());
  amounts.edge_read = edge.read_bytes;
  amounts.edge_write = edge.write_bytes;
  return amounts;
}

}  // namespace

Count reads_of_b(Count rows, const Execution& execution) {
  if (execution.matrix == MatrixPath::wgmma) return ceil_div(rows, wgmma_rows);
  const Count pieces = ceil_div(rows, mma_rows);
  const Count warps = std::clamp<Count>(execution.math_warps, 1, pieces);
  return warps * ceil_div(ceil_div(pieces, warps), mma_pieces);
}

Count rows_of_a(Count rows, const Execution& execution) {
  return execution.matrix == MatrixPath::wgmma ? ceil_div(rows, wgmma_rows) * wgmma_rows : rows;
}

void add(UnitAmounts& sum, const UnitAmounts& other) {
  sum.products += other.products;
  sum.exp = checked::add(sum.exp, other.exp);
  sum.fma = checked::add(sum.fma, other.fma);
  sum.alu = checked::add(sum.alu, other.alu);
  sum.shared += other.shared;
  sum.edge_read += other.edge_read;
  sum.edge_write += other.edge_write;
}

UnitAmounts step_amounts(const Problem& problem, Count rows, Count keys, const Execution& execution) {
  return named("the amounts of a tile", [&] {
    const Wide scores = Wide(rows) * keys;
    const Bytes loaded =
        bytes_of(keys, problem.head_dim, problem.dtype) + bytes_of(keys, problem.head_dim_v, problem.dtype);
    UnitAmounts amounts;
    amounts.products = Flops((scores * 2 * (Wide(problem.head_dim) + Wide(problem.head_dim_v))).narrow());
    amounts.exp = (scores + rows).narrow();
    amounts.fma = (scores * 2 + Wide(rows) * problem.head_dim_v).narrow();
    const Count halves = execution.maxima == Maxima::all ? 3 : 1;  // a maximum, and half a conversion
    amounts.alu = floor_div(scores * halves + 1, 2).narrow();
    amounts.shared = operand_bytes(problem, rows, keys, execution) + loaded;
    amounts.edge_read = loaded;
    return amounts;
  });
}

UnitAmounts unit_amounts(std::string_view algorithm, const Case& point, const Work& work, const Execution& execution) {
  const Formula& formula = formula_of(algorithm);
  return named("the amounts of a unit", [&] { return amounts_of(formula, point, work, execution); });
}

}  // namespace tilemeter
