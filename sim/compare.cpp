// How far the numbers of a run are from the reference.
#include <algorithm>
#include <cmath>
#include <limits>

#include "model/tolerance.hpp"
#include "sim/numeric.hpp"

namespace tilemeter {
namespace {

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

/// Errors of one tensor.
struct TensorErrors {
  double max_abs = 0;
  double rel_frobenius = 0;
  Count nan_rows = 0;
  bool finite = true;
};

TensorErrors errors_of(const std::vector<Matrix>& values, const std::vector<Matrix>& expected, double least_norm) {
  TensorErrors errors;
  if (values.size() != expected.size())
    return {.rel_frobenius = std::numeric_limits<double>::infinity(), .finite = false};
  double squared_error = 0;
  double squared_norm = 0;
  for (std::size_t stream = 0; stream < expected.size(); ++stream) {
    const Matrix error = values[stream] - expected[stream];
    errors.finite = errors.finite && error.allFinite() && expected[stream].allFinite();
    for (Eigen::Index r = 0; r < error.rows(); ++r) errors.nan_rows += values[stream].row(r).hasNaN() ? 1 : 0;
    if (error.size() > 0) errors.max_abs = std::max(errors.max_abs, error.cwiseAbs().maxCoeff<Eigen::PropagateNaN>());
    squared_error += error.squaredNorm();
    squared_norm += expected[stream].squaredNorm();
  }
  const double norm = std::max(std::sqrt(squared_norm), least_norm);
  errors.rel_frobenius = std::sqrt(squared_error) / (norm > 0 ? norm : 1.0);
  return errors;
}

}  // namespace

NumericCheck compare(const Problem& problem, const Values& outputs, const Values& expected, const Norms& norms,
                     double growth) {
  NumericCheck check{.tolerance = growth * tolerance_of(problem)};
  bool ok = true;
  for (const auto& [name, values] : expected) {
    const auto found = outputs.find(name);
    const std::vector<Matrix> none;
    const std::vector<Matrix>& given = found == outputs.end() ? none : found->second;
    if (name == TensorName::LSE) {
      check.max_lse_error = lse_error(given, values);
      continue;
    }
    const auto norm = norms.find(name);
    const TensorErrors errors = errors_of(given, values, norm == norms.end() ? 0 : norm->second);
    check.nan_rows += errors.nan_rows;
    check.max_abs_error = std::max(check.max_abs_error, errors.max_abs);
    check.rel_frobenius = std::max(check.rel_frobenius, errors.rel_frobenius);
    ok = ok && errors.finite && errors.rel_frobenius <= check.tolerance;
  }
  check.ok = ok && check.max_lse_error <= check.tolerance;
  return check;
}

}  // namespace tilemeter
