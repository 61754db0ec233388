// Attention in double precision, and the comparison with it.
#include <algorithm>
#include <cmath>

#include "model/visibility.hpp"
#include "sim/numeric.hpp"
#include "sim/operands.hpp"

namespace tilemeter {
namespace {

constexpr Count panel_rows = 64;

/// Rows [row, row + rows) of one stream.
void reference_panel(const Problem& problem, const Inputs& inputs, Dropout dropout, double empty_lse, Count stream,
                     Count row, Count rows, Outputs& outputs) {
  const auto at = static_cast<std::size_t>(stream);
  const auto kv = static_cast<std::size_t>(problem.packing == Packing::packed ? stream : stream / problem.group());
  Matrix scores = inputs.q[at].middleRows(row, rows) * inputs.k[kv].transpose() * score_scale(problem);
  numerics::mask<double>(scores, Visibility(problem), row, 0);
  numerics::reference_softmax(scores, outputs.lse[at].middleRows(row, rows), empty_lse);
  if (dropout == Dropout::fixed) {
    Matrix kept(rows, problem.seq_k);
    numerics::dropout<double>(scores, kept, stream, row);
  }
  outputs.o[at].middleRows(row, rows) = scores * inputs.v[kv];
}

double tolerance_of(DType dtype) {
  switch (dtype) {
    case DType::fp64:
      return 1e-12;
    case DType::fp32:
      return 1e-5;
    case DType::fp16:
      return 2e-3;
    default:
      return 1.6e-2;
  }
}

/// By the coarsest of the types in which an operand, a score, O or a statistic is stored.
double tolerance_of(const Problem& problem) {
  return std::max({tolerance_of(problem.dtype), tolerance_of(problem.score_dtype), tolerance_of(problem.o_dtype),
                   tolerance_of(problem.stat_dtype)});
}

/// Errors of LSE: rows that the reference leaves infinite must be equal, the others close.
double lse_error(const std::vector<Matrix>& lse, const std::vector<Matrix>& expected) {
  double worst = 0;
  for (std::size_t stream = 0; stream < lse.size(); ++stream) {
    for (Eigen::Index r = 0; r < lse[stream].rows(); ++r) {
      const double value = lse[stream](r, 0);
      const double wanted = expected[stream](r, 0);
      if (value == wanted) continue;
      const double error = std::fabs(value - wanted) / std::max(1.0, std::fabs(wanted));
      worst = std::isfinite(error) ? std::max(worst, error) : std::numeric_limits<double>::infinity();
    }
  }
  return worst;
}

}  // namespace

Outputs reference(const Problem& problem, const Inputs& inputs, Dropout dropout, double empty_lse) {
  Outputs outputs;
  for (Count stream = 0; stream < problem.streams(); ++stream) {
    outputs.o.push_back(Matrix::Zero(problem.rows(), problem.head_dim_v));
    outputs.lse.push_back(Matrix::Zero(problem.rows(), 1));
    for (Count row = 0; row < problem.rows(); row += panel_rows) {
      const Count rows = std::min(panel_rows, problem.rows() - row);
      reference_panel(problem, inputs, dropout, empty_lse, stream, row, rows, outputs);
    }
  }
  return outputs;
}

NumericCheck compare(const Problem& problem, const Outputs& outputs, const Outputs& expected) {
  NumericCheck check{.tolerance = tolerance_of(problem)};
  double squared_error = 0;
  double squared_norm = 0;
  bool finite = true;
  for (std::size_t stream = 0; stream < expected.o.size(); ++stream) {
    const Matrix error = outputs.o[stream] - expected.o[stream];
    finite = finite && error.allFinite() && expected.o[stream].allFinite();
    for (Eigen::Index r = 0; r < error.rows(); ++r) check.nan_rows += outputs.o[stream].row(r).hasNaN() ? 1 : 0;
    if (error.size() > 0)
      check.max_abs_error = std::max(check.max_abs_error, error.cwiseAbs().maxCoeff<Eigen::PropagateNaN>());
    squared_error += error.squaredNorm();
    squared_norm += expected.o[stream].squaredNorm();
  }
  check.rel_frobenius = std::sqrt(squared_norm > 0 ? squared_error / squared_norm : squared_error);
  check.max_lse_error = lse_error(outputs.lse, expected.lse);
  check.ok = finite && check.rel_frobenius <= check.tolerance && check.max_lse_error <= check.tolerance;
  return check;
}

}  // namespace tilemeter
