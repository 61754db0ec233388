#include "model/closed_form/standard.hpp"

#include "model/closed_form/expression.hpp"

namespace tilemeter {

void add_textbook_gemms(Bill& bill, const Problem& problem) {
  const Wide rows = problem.rows();
  const Wide keys = problem.seq_k;
  bill.read(TensorName::Q, {rows, problem.head_dim});
  bill.read(TensorName::K, {keys, problem.head_dim});
  bill.read(TensorName::V, {keys, problem.head_dim_v});
  bill.write(TensorName::O, {rows, problem.head_dim_v});
  bill.multiply_add({rows, keys, Wide(problem.head_dim) + problem.head_dim_v});
  bill.score_exponentials({rows, keys});
}

Work standard_bill(const Case& point) {
  const Problem& problem = point.problem;
  Bill bill(problem);
  if (problem.seq_q == 0) return bill.work();
  for (const TensorName scores : {TensorName::S, TensorName::P}) {
    bill.write(scores, {problem.rows(), problem.seq_k});
    bill.read(scores, {problem.rows(), problem.seq_k});
  }
  add_textbook_gemms(bill, problem);
  return bill.work();
}

std::string standard_expression(const Case& point) {
  const Problem& problem = point.problem;
  if (is_textbook(problem)) return over_streams(problem, "4Nd + 4N^2");
  const std::string rows = rows_symbol(problem);
  return over_streams(problem, "(" + rows + " + Nk)(d + dv) + 4 " + rows + " Nk");
}

}  // namespace tilemeter
