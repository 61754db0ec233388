#include "model/closed_form/standard_backward.hpp"

#include "model/closed_form/bill.hpp"
#include "model/closed_form/expression.hpp"
#include "model/closed_form/gradients.hpp"

namespace tilemeter {

Work standard_backward_bill(const Case& point) {
  const Problem& problem = point.problem;
  const UnfusedGradients& unfused = point.options.unfused_gradients;
  const Wide rows = problem.rows();
  const Wide keys = problem.seq_k;
  const Count dropout = unfused.dropout ? 1 : 0;
  const Count passes_over_ds = (unfused.scale ? 1 : 0) + (unfused.mask ? 1 : 0);

  Bill bill(problem);
  bill.read(TensorName::P, {rows, keys, 2 - dropout});
  bill.read(TensorName::Pd, {rows, keys, dropout});
  bill.read(TensorName::Z, {rows, keys, dropout});
  bill.read(TensorName::dP, {rows, keys, 1 + dropout});
  bill.write(TensorName::dP, {rows, keys, 1 + dropout});
  bill.read(TensorName::dS, {rows, keys, 2 + passes_over_ds});
  bill.write(TensorName::dS, {rows, keys, 1 + passes_over_ds});
  bill.read(TensorName::dO, {2, rows, problem.head_dim_v});
  bill.read(TensorName::Q, {rows, problem.head_dim});
  bill.read(TensorName::K, {keys, problem.head_dim});
  bill.read(TensorName::V, {keys, problem.head_dim_v});
  bill.write(TensorName::dQ, {rows, problem.head_dim});
  bill.multiply_add({2, rows, keys, Wide(problem.head_dim) + problem.head_dim_v});
  Work work = bill.work();
  add(work, key_gradients_bill(problem));
  return work;
}

std::string standard_backward_expression(const Case& point) {
  const Problem& problem = point.problem;
  const UnfusedGradients& unfused = point.options.unfused_gradients;
  const bool textbook = is_textbook(problem);
  const std::string rows = rows_symbol(problem);
  const std::string scores = textbook ? "N^2" : " " + rows + " Nk";
  std::string sum = "7" + scores + " + " + (textbook ? "8Nd" : "2" + rows + "(d + dv) + 2Nk(d + dv)");
  if (unfused.scale) sum += " + 2" + scores + " [scale]";
  if (unfused.mask) sum += " + 2" + scores + " [mask]";
  if (unfused.dropout) sum += " + 3" + scores + " [dropout]";
  return over_streams(problem, sum + key_gradients_terms(problem));
}

}  // namespace tilemeter
