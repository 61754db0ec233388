#include "model/fit.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cassert>
#include <cmath>

#include "model/statistics.hpp"

namespace tilemeter {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Decomposition = Eigen::ColPivHouseholderQR<Eigen::MatrixXd>;

/// Columns whose independent part is smaller than this share of their length count as combinations of the others.
constexpr double dependence_threshold = 1e-10;

std::string list_text(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  }
  return text;
}

/// The coefficients that take part in some combination of columns that is zero.
std::vector<std::string> undetermined(const Decomposition& qr, const std::vector<std::string>& names) {
  const Eigen::Index rank = qr.rank();
  const Eigen::Index count = qr.cols();
  const Eigen::MatrixXd r = qr.matrixR().topRows(std::min(qr.rows(), count));
  Eigen::MatrixXd combinations = Eigen::MatrixXd::Identity(count, count).rightCols(count - rank);
  if (rank > 0) {
    combinations.topRows(rank) =
        -r.topLeftCorner(rank, rank).triangularView<Eigen::Upper>().solve(r.topRightCorner(rank, count - rank));
  }
  const Eigen::MatrixXd by_column = qr.colsPermutation() * combinations;
  std::vector<std::string> found;
  for (Eigen::Index i = 0; i < count; ++i) {
    if (by_column.row(i).cwiseAbs().maxCoeff() > 1e-6) found.push_back(names[static_cast<std::size_t>(i)]);
  }
  return found;
}

/// Each column divided by its length; a column of zeros stays one.
Eigen::VectorXd lengths_of(const Eigen::MatrixXd& columns) {
  return columns.colwise().norm().transpose().unaryExpr([](double length) { return length > 0 ? length : 1; });
}

}  // namespace

const Coefficient& Fit::operator[](std::string_view name) const {
  const auto found = std::find_if(coefficients.begin(), coefficients.end(),
                                  [&](const Coefficient& coefficient) { return coefficient.name == name; });
  assert(found != coefficients.end());
  return *found;
}

void Observations::add(std::span<const double> regressors, double response) {
  assert(regressors.size() == names_.size());
  const auto finite = [](double value) { return std::isfinite(value); };
  if (!std::all_of(regressors.begin(), regressors.end(), finite) || !finite(response)) {
    throw InputError(what_ + ": observation " + std::to_string(size() + 1) + " holds a number that is not finite");
  }
  regressors_.insert(regressors_.end(), regressors.begin(), regressors.end());
  responses_.push_back(response);
}

Fit Observations::fit() const {
  const auto rows = static_cast<Eigen::Index>(responses_.size());
  const auto count = static_cast<Eigen::Index>(names_.size());
  if (rows <= count) {
    throw InputError(what_ + ": " + std::to_string(rows) + " observations; at least " + std::to_string(count + 1) +
                     " are needed to fit " + list_text(names_));
  }
  const Eigen::MatrixXd columns = Eigen::Map<const RowMajor>(regressors_.data(), rows, count);
  const Eigen::VectorXd responses = Eigen::Map<const Eigen::VectorXd>(responses_.data(), rows);
  const Eigen::VectorXd lengths = lengths_of(columns);
  Decomposition qr(rows, count);
  qr.setThreshold(dependence_threshold);
  qr.compute(columns * lengths.cwiseInverse().asDiagonal());
  if (qr.rank() < count) {
    const std::vector<std::string> names = undetermined(qr, names_);
    throw InputError(what_ + ": the data do not determine " + list_text(names) + (names.size() > 1 ? " apart" : ""));
  }

  const Eigen::VectorXd values = qr.solve(responses).cwiseQuotient(lengths);
  const Eigen::VectorXd residuals = responses - columns * values;
  const double squares = residuals.squaredNorm();
  const Eigen::MatrixXd inverse_r =
      qr.matrixR().topRows(count).triangularView<Eigen::Upper>().solve(Eigen::MatrixXd::Identity(count, count));
  const Eigen::VectorXd spreads = (qr.colsPermutation() * inverse_r).rowwise().norm().cwiseQuotient(lengths);
  const double half_width = student_t95(rows - count) * std::sqrt(squares / static_cast<double>(rows - count));

  Fit fit{.coefficients = {},
          .observations = rows,
          .residual_rms = std::sqrt(squares / static_cast<double>(rows)),
          .residual_most = residuals.cwiseAbs().maxCoeff()};
  for (Eigen::Index i = 0; i < count; ++i) {
    fit.coefficients.push_back({names_[static_cast<std::size_t>(i)], values[i], half_width * spreads[i]});
  }
  return fit;
}

}  // namespace tilemeter
