#include "kernels/operands.hpp"

#include "model/closed_form/bill.hpp"

namespace tilemeter::kernels {
namespace {

Operand operand(const Case& point, TensorName name, Role role, Count matrices, Count rows, Count cols) {
  const Count elements =
      named(name_of(name), [&] { return checked::multiply(checked::multiply(matrices, rows), cols); });
  return {name, role, dtype_of(name, point), elements};
}

}  // namespace

std::vector<Operand> flash_operands(const Case& point) {
  const Problem& problem = point.problem;
  const Count heads = problem.batch * problem.heads, kv_heads = problem.batch * problem.kv_heads;
  return {operand(point, TensorName::Q, Role::input, heads, problem.seq_q, problem.head_dim),
          operand(point, TensorName::K, Role::input, kv_heads, problem.seq_k, problem.head_dim),
          operand(point, TensorName::V, Role::input, kv_heads, problem.seq_k, problem.head_dim_v),
          operand(point, TensorName::O, Role::output, heads, problem.seq_q, problem.head_dim_v),
          operand(point, TensorName::LSE, Role::output, heads, problem.seq_q, 1)};
}

std::vector<Operand> flash1_operands(const Case& point) {
  const Problem& problem = point.problem;
  const Count heads = problem.batch * problem.heads, kv_heads = problem.batch * problem.kv_heads;
  Operand o = operand(point, TensorName::O, Role::state, heads, problem.seq_q, problem.head_dim_v);
  o.type = problem.o_dtype;
  return {operand(point, TensorName::Q, Role::input, heads, problem.seq_q, problem.head_dim),
          operand(point, TensorName::K, Role::input, kv_heads, problem.seq_k, problem.head_dim),
          operand(point, TensorName::V, Role::input, kv_heads, problem.seq_k, problem.head_dim_v),
          o,
          operand(point, TensorName::l, Role::state, heads, problem.seq_q, 1),
          operand(point, TensorName::m, Role::state, heads, problem.seq_q, 1)};
}

std::vector<Operand> standard_operands(const Case& point) {
  const Problem& problem = point.problem;
  const Count heads = problem.batch * problem.heads, kv_heads = problem.batch * problem.kv_heads;
  return {operand(point, TensorName::Q, Role::input, heads, problem.seq_q, problem.head_dim),
          operand(point, TensorName::K, Role::input, kv_heads, problem.seq_k, problem.head_dim),
          operand(point, TensorName::S, Role::workspace, heads, problem.seq_q, problem.seq_k),
          operand(point, TensorName::P, Role::workspace, heads, problem.seq_q, problem.seq_k),
          operand(point, TensorName::V, Role::input, kv_heads, problem.seq_k, problem.head_dim_v),
          operand(point, TensorName::O, Role::output, heads, problem.seq_q, problem.head_dim_v)};
}

}  // namespace tilemeter::kernels
