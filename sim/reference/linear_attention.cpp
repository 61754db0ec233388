// Attention without a softmax, in double precision.
#include <algorithm>

#include "model/visibility.hpp"
#include "sim/reference.hpp"

namespace tilemeter {
namespace {

constexpr Count panel_rows = 64;

Matrix outputs_of_stream(const Problem& problem, const Matrix& q, const Matrix& k, const Matrix& v) {
  const Visibility visibility(problem);
  Matrix o = Matrix::Zero(problem.rows(), problem.head_dim_v);
  for (Count row = 0; row < problem.rows(); row += panel_rows) {
    const Count rows = std::min(panel_rows, problem.rows() - row);
    Matrix scores = q.middleRows(row, rows) * k.transpose();
    numerics::clear_hidden<double>(scores, visibility, row, 0);
    o.middleRows(row, rows) = scores * v;
  }
  return o;
}

}  // namespace

Values outputs_of_linear_attention(const Algorithm&, const Case& point, const Values& inputs) {
  const Problem& problem = point.problem;
  Values outputs;
  for (Count stream = 0; stream < problem.streams(); ++stream) {
    const auto at = static_cast<std::size_t>(stream);
    const auto kv = static_cast<std::size_t>(stream / problem.group());
    outputs[TensorName::O].push_back(outputs_of_stream(problem, inputs.at(TensorName::Q)[at],
                                                       inputs.at(TensorName::K)[kv], inputs.at(TensorName::V)[kv]));
  }
  return outputs;
}

}  // namespace tilemeter
