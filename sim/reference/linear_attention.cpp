// Attention without a softmax, in double precision.
#include <algorithm>
#include <cmath>

#include "model/visibility.hpp"
#include "sim/reference.hpp"

namespace tilemeter {
namespace {

constexpr Count linear_panel_rows = 64;

enum class Terms { summed, squared };

/// O of a stream, or the sums of its squared terms.
Matrix outputs_of_stream(const Problem& problem, const Matrix& q, const Matrix& k, const Matrix& v, Terms terms) {
  const Visibility visibility(problem);
  Matrix o = Matrix::Zero(problem.rows(), problem.head_dim_v);
  for (Count row = 0; row < problem.rows(); row += linear_panel_rows) {
    const Count rows = std::min(linear_panel_rows, problem.rows() - row);
    Matrix scores = q.middleRows(row, rows) * k.transpose();
    numerics::clear_hidden<double>(scores, visibility, row, 0);
    if (terms == Terms::summed) {
      o.middleRows(row, rows) = scores * v;
    } else {
      o.middleRows(row, rows) = scores.cwiseAbs2() * v.cwiseAbs2();
    }
  }
  return o;
}

std::vector<Matrix> all_outputs(const Problem& problem, const Values& inputs, Terms terms) {
  std::vector<Matrix> outputs;
  for (Count stream = 0; stream < problem.streams(); ++stream) {
    const auto at = static_cast<std::size_t>(stream);
    const auto kv = static_cast<std::size_t>(stream / problem.group());
    outputs.push_back(outputs_of_stream(problem, inputs.at(TensorName::Q)[at], inputs.at(TensorName::K)[kv],
                                        inputs.at(TensorName::V)[kv], terms));
  }
  return outputs;
}

}  // namespace

Values outputs_of_linear_attention(const Algorithm&, const Case& point, const Values& inputs) {
  return {{TensorName::O, all_outputs(point.problem, inputs, Terms::summed)}};
}

Norms norms_of_linear_attention(const Algorithm&, const Case& point, const Values& inputs) {
  double sum = 0;
  for (const Matrix& squares : all_outputs(point.problem, inputs, Terms::squared)) sum += squares.sum();
  return {{TensorName::O, std::sqrt(sum)}};
}

}  // namespace tilemeter
