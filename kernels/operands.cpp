#include "kernels/operands.hpp"

#include <tuple>

#include "model/closed_form/bill.hpp"
#include "model/closed_form/gradients.hpp"
#include "model/closed_form/linear_attention.hpp"
#include "model/split_heuristic.hpp"

namespace tilemeter::kernels {
namespace {

Operand operand(const Case& point, TensorName name, Role role, Count matrices, Count rows, Count cols) {
  const Count elements =
      named(name_of(name), [&] { return checked::multiply(checked::multiply(matrices, rows), cols); });
  return {name, role, dtype_of(name, point), elements};
}

/// A tensor of a matrix per query head, with the rows of Q.
Operand of_queries(const Case& point, TensorName name, Role role, Count cols) {
  const Problem& problem = point.problem;
  return operand(point, name, role, problem.batch * problem.heads, problem.seq_q, cols);
}

/// Q, K, V and dO.
std::vector<Operand> gradient_inputs(const Case& point) {
  const Problem& problem = point.problem;
  const Count kv_heads = problem.batch * problem.kv_heads;
  return {of_queries(point, TensorName::Q, Role::input, problem.head_dim),
          operand(point, TensorName::K, Role::input, kv_heads, problem.seq_k, problem.head_dim),
          operand(point, TensorName::V, Role::input, kv_heads, problem.seq_k, problem.head_dim_v),
          of_queries(point, TensorName::dO, Role::input, problem.head_dim_v)};
}

/// dK and dV, and dKx and dVx where the query heads of a group form them apart.
void add_key_gradients(std::vector<Operand>& operands, const Case& point) {
  const Problem& problem = point.problem;
  const Count heads = problem.batch * problem.heads, kv_heads = problem.batch * problem.kv_heads;
  if (expands_key_gradients(problem)) {
    operands.push_back(operand(point, TensorName::dKx, Role::workspace, heads, problem.seq_k, problem.head_dim));
    operands.push_back(operand(point, TensorName::dVx, Role::workspace, heads, problem.seq_k, problem.head_dim_v));
  }
  operands.push_back(operand(point, TensorName::dK, Role::output, kv_heads, problem.seq_k, problem.head_dim));
  operands.push_back(operand(point, TensorName::dV, Role::output, kv_heads, problem.seq_k, problem.head_dim_v));
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

std::vector<Operand> flash3_operands(const Case& point) {
  std::vector<Operand> operands = flash_operands(point);
  const Problem& problem = point.problem;
  if (problem.dtype != DType::fp8) return operands;
  const Count kv_heads = problem.batch * problem.kv_heads;
  operands[2] = operand(point, TensorName::V, Role::input, kv_heads, problem.head_dim_v, fp8_keys(problem.seq_k));
  operands.push_back({TensorName::scales, Role::input, DType::fp32, 3 * kv_heads});
  return operands;
}

std::vector<Operand> gemm_operands(const Case& point) {
  const Count problems = point.problem.batch;
  const Shapes& shapes = point.shapes;
  return {operand(point, TensorName::A, Role::input, problems, shapes.m, shapes.k),
          operand(point, TensorName::B, Role::input, problems, shapes.k, shapes.n),
          operand(point, TensorName::C, Role::output, problems, shapes.m, shapes.n)};
}

std::vector<Operand> weight_layer_operands(const Case& point) {
  const Count problems = point.problem.batch, group = point.options.group_size;
  const Shapes& shapes = point.shapes;
  std::vector<Operand> operands = {operand(point, TensorName::X, Role::input, problems, shapes.tokens, shapes.d_in),
                                   operand(point, TensorName::W, Role::input, problems, shapes.d_out, shapes.d_in),
                                   operand(point, TensorName::Y, Role::output, problems, shapes.tokens, shapes.d_out)};
  if (group == 0) return operands;
  operands.push_back(
      operand(point, TensorName::scales, Role::input, problems, shapes.d_out, ceil_div(shapes.d_in, group)));
  return operands;
}

std::vector<Operand> split_kv_operands(const Case& point) {
  std::vector<Operand> operands = flash_operands(point);
  const Count splits = splits_of(point);
  if (splits == 1) return operands;
  const Problem& problem = point.problem;
  const Count rows = named("the rows of Oacc", [&] {
    return checked::multiply(checked::multiply(problem.batch * problem.heads, problem.seq_q), splits);
  });
  operands.push_back(operand(point, TensorName::Oacc, Role::workspace, rows, 1, problem.head_dim_v));
  operands.push_back(operand(point, TensorName::LSEacc, Role::workspace, rows, 1, 1));
  return operands;
}

std::vector<Operand> linear_operands(const Case& point) {
  const Problem& problem = point.problem;
  std::vector<Operand> operands = flash_operands(point);
  operands.pop_back();  // there is no LSE without a softmax
  const Count streams = problem.batch * problem.heads;
  switch (point.options.variant.value_or(linear_attention_variant(point))) {
    case Variant::state_memory:
      operands.push_back(
          operand(point, TensorName::KV, Role::workspace, streams, problem.head_dim, problem.head_dim_v));
      break;
    case Variant::scores:
      operands.push_back(operand(point, TensorName::S, Role::workspace, streams, problem.seq_q, problem.seq_k));
      break;
    default:
      break;
  }
  return operands;
}

std::vector<Operand> chain_operands(const Case& point) {
  const auto& [shapes, options] = std::tie(point.shapes, point.options);
  const Count batch = point.problem.batch;
  return {operand(point, TensorName::X, Role::input, batch, 1, shapes.length),
          operand(point, TensorName::side, Role::input, batch, options.side_inputs, shapes.length),
          operand(point, TensorName::Y, Role::output, batch, 1, shapes.length)};
}

std::vector<Operand> softmax_operands(const Case& point) {
  const Shapes& shapes = point.shapes;
  const Count batch = point.problem.batch;
  return {operand(point, TensorName::X, Role::input, batch, shapes.rows, shapes.cols),
          operand(point, TensorName::Y, Role::output, batch, shapes.rows, shapes.cols)};
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

std::vector<Operand> flash2_backward_operands(const Case& point) {
  const Problem& problem = point.problem;
  std::vector<Operand> operands = gradient_inputs(point);
  operands.push_back(of_queries(point, TensorName::O, Role::forward, problem.head_dim_v));
  operands.push_back(of_queries(point, TensorName::LSE, Role::forward, 1));
  operands.push_back(of_queries(point, TensorName::D, Role::workspace, 1));
  if (point.options.variant.value_or(Variant::atomics) == Variant::atomics) {
    const Count matrices = named("the buffers of dQacc", [&] {
      return checked::multiply(problem.batch * problem.heads, accumulation_buffers(point));
    });
    operands.push_back(operand(point, TensorName::dQacc, Role::workspace, matrices, problem.seq_q, problem.head_dim));
  }
  operands.push_back(of_queries(point, TensorName::dQ, Role::output, problem.head_dim));
  add_key_gradients(operands, point);
  return operands;
}

std::vector<Operand> flash1_backward_operands(const Case& point) {
  const Problem& problem = point.problem;
  std::vector<Operand> operands = gradient_inputs(point);
  operands.push_back(of_queries(point, TensorName::O, Role::forward, problem.head_dim_v));
  operands.push_back(of_queries(point, TensorName::l, Role::forward, 1));
  operands.push_back(of_queries(point, TensorName::m, Role::forward, 1));
  operands.push_back(of_queries(point, TensorName::dQ, Role::state, problem.head_dim));
  operands.back().type = problem.o_dtype;
  add_key_gradients(operands, point);
  return operands;
}

std::vector<Operand> standard_backward_operands(const Case& point) {
  const Problem& problem = point.problem;
  std::vector<Operand> operands = gradient_inputs(point);
  operands.push_back(of_queries(point, TensorName::P, Role::forward, problem.seq_k));
  operands.push_back(of_queries(point, TensorName::dP, Role::workspace, problem.seq_k));
  operands.push_back(of_queries(point, TensorName::dS, Role::workspace, problem.seq_k));
  operands.push_back(of_queries(point, TensorName::dQ, Role::output, problem.head_dim));
  add_key_gradients(operands, point);
  return operands;
}

}  // namespace tilemeter::kernels
