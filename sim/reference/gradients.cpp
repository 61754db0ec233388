// Gradients of attention in double precision.
#include <algorithm>
#include <limits>

#include "model/closed_form/catalog.hpp"
#include "sim/catalog.hpp"
#include "sim/operands.hpp"
#include "sim/reference.hpp"

namespace tilemeter {
namespace {

constexpr Count gradient_panel_rows = 64;

Dropout dropout_of(const Algorithm& algorithm, const Options& options) {
  return algorithm.name == "standard_backward" && options.unfused_gradients.dropout ? Dropout::fixed : Dropout::none;
}

std::size_t kv_stream(const Problem& problem, Count stream) {
  return static_cast<std::size_t>(problem.packing == Packing::packed ? stream : stream / problem.group());
}

/// Rows [row, row + rows) of the forward pass of one stream.
struct ForwardPanel {
  Matrix p;
  Matrix kept;     ///< 1 where dropout keeps
  Matrix dropped;  ///< p after dropout
  Matrix m;        ///< row maxima, -inf for a row without keys
  Matrix lse;      ///< +inf for a row without keys

  ForwardPanel(const Problem& problem, const Values& inputs, Dropout dropout, Count stream, Count row, Count rows)
      : p(inputs.at(TensorName::Q)[static_cast<std::size_t>(stream)].middleRows(row, rows) *
          inputs.at(TensorName::K)[kv_stream(problem, stream)].transpose() * score_scale(problem)),
        kept(Matrix::Ones(rows, problem.seq_k)),
        m(Matrix::Constant(rows, 1, -std::numeric_limits<double>::infinity())),
        lse(rows, 1) {
    numerics::mask<double>(p, Visibility(problem), row, 0);
    if (p.cols() > 0) m = p.rowwise().maxCoeff();
    numerics::reference_softmax(p, lse, std::numeric_limits<double>::infinity());
    dropped = p;
    if (dropout == Dropout::fixed) numerics::dropout<double>(dropped, kept, stream, row);
  }

  /// Sum of exp(s - m), 0 for a row without keys.
  Matrix l() const {
    Matrix sums = Matrix::Zero(lse.rows(), 1);
    for (Eigen::Index r = 0; r < sums.rows(); ++r) {
      if (std::isfinite(m(r, 0))) sums(r, 0) = std::exp(lse(r, 0) - m(r, 0));
    }
    return sums;
  }
};

/// Calls visit(stream, row, panel) for all panels of rows.
template <class Visit>
void for_panels(const Problem& problem, const Values& inputs, Dropout dropout, Visit visit) {
  for (Count stream = 0; stream < problem.streams(); ++stream) {
    for (Count row = 0; row < problem.rows(); row += gradient_panel_rows) {
      const Count rows = std::min(gradient_panel_rows, problem.rows() - row);
      visit(stream, row, ForwardPanel(problem, inputs, dropout, stream, row, rows));
    }
  }
}

/// dQ, dK, dV of a problem, all zero.
Values zero_gradients(const Problem& problem) {
  Values gradients;
  const auto streams = static_cast<std::size_t>(problem.streams());
  const auto kv_streams = static_cast<std::size_t>(problem.batch * problem.kv_heads);
  gradients[TensorName::dQ].assign(streams, Matrix::Zero(problem.rows(), problem.head_dim));
  gradients[TensorName::dK].assign(kv_streams, Matrix::Zero(problem.seq_k, problem.head_dim));
  gradients[TensorName::dV].assign(kv_streams, Matrix::Zero(problem.seq_k, problem.head_dim_v));
  return gradients;
}

/// The parts of dS = P o dP - P o D: their difference, or the first alone.
enum class SoftmaxTerms { both, first };

Values gradients_of(const Problem& problem, const Values& inputs, Dropout dropout, SoftmaxTerms terms) {
  Values gradients = zero_gradients(problem);
  for_panels(problem, inputs, dropout, [&](Count stream, Count row, const ForwardPanel& forward) {
    const auto at = static_cast<std::size_t>(stream);
    const std::size_t kv = kv_stream(problem, stream);
    const Count rows = forward.p.rows();
    const auto q = inputs.at(TensorName::Q)[at].middleRows(row, rows);
    const auto d_o = inputs.at(TensorName::dO)[at].middleRows(row, rows);
    Matrix dp = d_o * inputs.at(TensorName::V)[kv].transpose();
    if (dropout == Dropout::fixed) numerics::dropout_gradient<double>(dp, forward.kept);
    Matrix sums = Matrix::Zero(rows, 1);
    if (terms == SoftmaxTerms::both) numerics::row_products<double>(sums, forward.p, dp);
    numerics::softmax_gradient<double>(dp, forward.p, sums);
    dp *= score_scale(problem);
    gradients[TensorName::dQ][at].middleRows(row, rows) = dp * inputs.at(TensorName::K)[kv];
    gradients[TensorName::dK][kv] += dp.transpose() * q;
    gradients[TensorName::dV][kv] += forward.dropped.transpose() * d_o;
  });
  return gradients;
}

double norm_of(const std::vector<Matrix>& matrices) {
  double squared = 0;
  for (const Matrix& matrix : matrices) squared += matrix.squaredNorm();
  return std::sqrt(squared);
}

}  // namespace

Values inputs_of_gradients(const Case& point, Normal& normal) {
  const Problem& problem = point.problem;
  Values inputs = inputs_of_attention(point, normal);
  for (Count stream = 0; stream < problem.streams(); ++stream) {
    inputs[TensorName::dO].push_back(normal.matrix(problem.rows(), problem.head_dim_v, problem.dtype));
  }
  return inputs;
}

void add_forward_results(const Algorithm& algorithm, const Case& point, Values& inputs) {
  const Problem& problem = point.problem;
  const Work bill = closed_form(algorithm.name, point);
  const auto rows_of = [&](TensorName name, Count stream, Count cols) -> Matrix& {
    std::vector<Matrix>& matrices = inputs[name];
    if (matrices.size() <= static_cast<std::size_t>(stream)) matrices.push_back(Matrix::Zero(problem.rows(), cols));
    return matrices.back();
  };
  for_panels(problem, Values(inputs), dropout_of(algorithm, point.options),
             [&](Count stream, Count row, const ForwardPanel& forward) {
               const auto put = [&](TensorName name, const Matrix& panel) {
                 if (bill[name].read.value() == 0) return;
                 rows_of(name, stream, panel.cols()).middleRows(row, panel.rows()) = panel;
               };
               put(TensorName::O, forward.dropped * inputs.at(TensorName::V)[kv_stream(problem, stream)]);
               put(TensorName::LSE, forward.lse);
               put(TensorName::l, forward.l());
               put(TensorName::m, forward.m);
               put(TensorName::P, forward.p);
               put(TensorName::Pd, forward.dropped);
               put(TensorName::Z, forward.kept);
             });
}

Values gradients_reference(const Problem& problem, const Values& inputs, Dropout dropout) {
  return gradients_of(problem, inputs, dropout, SoftmaxTerms::both);
}

Values outputs_of_gradients(const Algorithm& algorithm, const Case& point, const Values& inputs) {
  return gradients_reference(point.problem, inputs, dropout_of(algorithm, point.options));
}

Norms norms_of_gradients(const Algorithm& algorithm, const Case& point, const Values& inputs) {
  const Values first = gradients_of(point.problem, inputs, dropout_of(algorithm, point.options), SoftmaxTerms::first);
  return {{TensorName::dQ, norm_of(first.at(TensorName::dQ))}, {TensorName::dK, norm_of(first.at(TensorName::dK))}};
}

Count gradient_roundings(const Case&) { return 4; }

}  // namespace tilemeter
