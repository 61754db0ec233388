#include "model/closed_form/standard_unfused.hpp"

#include "model/closed_form/expression.hpp"
#include "model/closed_form/standard.hpp"

namespace tilemeter {
namespace {

void add_dropout(Bill& bill, const Problem& problem) {
  const Wide rows = problem.rows();
  bill.write(TensorName::Pd, {rows, problem.seq_k});
  bill.read(TensorName::Pd, {rows, problem.seq_k});
  bill.write(TensorName::Z, {rows, problem.seq_k});
}

}  // namespace

Work standard_unfused_bill(const Case& point) {
  const Problem& problem = point.problem;
  const Options& options = point.options;
  Bill bill(problem);
  if (problem.seq_q == 0) return bill.work();

  const Wide rows = problem.rows();
  const Wide versions_of_s = Count{1} + (options.unfused_scale ? 1 : 0) + (options.unfused_mask ? 1 : 0);
  bill.write(TensorName::S, {rows, problem.seq_k, versions_of_s});
  bill.read(TensorName::S, {rows, problem.seq_k, versions_of_s});
  bill.write(TensorName::P, {rows, problem.seq_k});
  bill.read(TensorName::P, {rows, problem.seq_k});
  if (options.unfused_mask) {
    bill.read(TensorName::mask, {options.mask_shape == MaskShape::full ? rows : Wide(1), problem.seq_k});
  }
  if (options.unfused_dropout) add_dropout(bill, problem);
  add_textbook_gemms(bill, problem);
  return bill.work();
}

std::string standard_unfused_expression(const Case& point) {
  const Problem& problem = point.problem;
  const Options& options = point.options;
  const bool textbook = is_textbook(problem);
  const std::string rows = textbook ? "N" : rows_symbol(problem);
  const std::string scores = textbook ? "N^2" : " " + rows + " Nk";
  const std::string keys = textbook ? "N" : "Nk";
  std::string sum = textbook ? "4Nd + 4N^2" : "(" + rows + " + Nk)(d + dv) + 4" + scores;
  if (options.unfused_scale) sum += " + 2" + scores + " [scale]";
  if (options.unfused_mask) {
    sum += options.mask_shape == MaskShape::full ? " + 3" + scores + " [mask]"
                                                 : " + 2" + scores + " + " + keys + " [mask]";
  }
  if (options.unfused_dropout) sum += " + 3" + scores + " [dropout]";
  return over_streams(problem, sum);
}

}  // namespace tilemeter
