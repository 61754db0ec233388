#include "model/robust_fit.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "model/statistics.hpp"
#include "model/units.hpp"

namespace tilemeter {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

constexpr double huber = 1.345;
constexpr double normal95 = 1.96;
constexpr double most_noise = 5;     ///< times the least: that a model is far off is no noise
constexpr double difference = 1e-4;  ///< of a doubt: the step of a derivative
constexpr int most_steps = 60;
constexpr double enough = 1e-7;  ///< share of the objective that a step must gain

/// The problem in doubts away from the priors.
class FitProblem {
 public:
  FitProblem(const std::vector<BoundedParameter>& parameters, const Residuals& residuals, double noise)
      : parameters_(parameters), residuals_(residuals), noise_(noise) {}

  Eigen::Index count() const { return static_cast<Eigen::Index>(parameters_.size()); }

  double value(const Vector& z, Eigen::Index i) const {
    const BoundedParameter& parameter = parameters_[static_cast<std::size_t>(i)];
    return std::clamp(parameter.prior + z[i] * parameter.doubt, parameter.low, parameter.high);
  }
  Vector clamped(Vector z) const {
    for (Eigen::Index i = 0; i < count(); ++i) {
      const BoundedParameter& parameter = parameters_[static_cast<std::size_t>(i)];
      z[i] = (value(z, i) - parameter.prior) / parameter.doubt;
    }
    return z;
  }
  Vector residuals(const Vector& z) const {
    std::vector<double> values;
    for (Eigen::Index i = 0; i < count(); ++i) values.push_back(value(z, i));
    const std::vector<double> found = residuals_(values);
    return Eigen::Map<const Vector>(found.data(), static_cast<Eigen::Index>(found.size()));
  }
  Matrix jacobian(const Vector& z, const Vector& at) const {
    Matrix slopes(at.size(), count());
    for (Eigen::Index i = 0; i < count(); ++i) {
      Vector moved = z;
      const BoundedParameter& parameter = parameters_[static_cast<std::size_t>(i)];
      const bool up = value(z, i) + difference * parameter.doubt <= parameter.high;
      moved[i] += up ? difference : -difference;
      slopes.col(i) = (residuals(moved) - at) / (up ? difference : -difference);
    }
    return slopes;
  }
  double scale(const Vector& residuals) const {
    std::vector<double> sizes(static_cast<std::size_t>(residuals.size()));
    for (std::size_t i = 0; i < sizes.size(); ++i) sizes[i] = std::abs(residuals[static_cast<Eigen::Index>(i)]);
    return std::clamp(1.4826 * quantile_of(sizes, 0.5, "residuals"), noise_, most_noise * noise_);
  }

 private:
  const std::vector<BoundedParameter>& parameters_;
  const Residuals& residuals_;
  double noise_;
};

double objective(const Vector& residuals, const Vector& z, double scale) {
  double sum = z.squaredNorm() / 2;
  for (const double residual : residuals) {
    const double size = std::abs(residual) / scale;
    sum += size <= huber ? size * size / 2 : huber * (size - huber / 2);
  }
  return sum;
}

/// The square roots of Huber's weights over the scale.
Vector weights(const Vector& residuals, double scale) {
  return residuals.unaryExpr([scale](double residual) {
    const double size = std::abs(residual) / scale;
    return std::sqrt(size <= huber ? 1 : huber / size) / scale;
  });
}

struct State {
  Vector z;
  Vector residuals;
  double scale = 1;
};

/// One accepted step, or none: false.
bool improve(const FitProblem& problem, State& state, double& damping) {
  const Vector root = weights(state.residuals, state.scale);
  const Matrix slopes = root.asDiagonal() * problem.jacobian(state.z, state.residuals);
  const Vector pull = slopes.transpose() * root.cwiseProduct(state.residuals) + state.z;
  const Matrix normal = slopes.transpose() * slopes + Matrix::Identity(problem.count(), problem.count());
  const double before = objective(state.residuals, state.z, state.scale);
  for (; damping < 1e12; damping *= 10) {
    Matrix damped = normal;
    damped.diagonal() *= 1 + damping;
    const Vector z = problem.clamped(state.z - damped.ldlt().solve(pull));
    const Vector residuals = problem.residuals(z);
    if (!residuals.allFinite()) continue;
    const double after = objective(residuals, z, state.scale);
    if (after >= before) continue;
    state = {z, residuals, state.scale};
    damping = std::max(1e-9, damping / 10);
    return before - after > enough * before;
  }
  return false;
}

/// What is known of the parameters at the end.
Matrix covariance(const FitProblem& problem, const State& state, Matrix& slopes) {
  slopes = problem.jacobian(state.z, state.residuals);
  const Matrix weighted = weights(state.residuals, state.scale).asDiagonal() * slopes;
  const Matrix normal = weighted.transpose() * weighted + Matrix::Identity(problem.count(), problem.count());
  return normal.ldlt().solve(Matrix::Identity(problem.count(), problem.count()));
}

/// Residuals of observations that the fit would not have seen, to first order. A residual that alone holds a parameter
/// says little of others: its leverage counts up to `most_leverage`.
std::vector<double> left_out(const State& state, const Matrix& slopes, const Matrix& known) {
  constexpr double most_leverage = 0.8;
  const Matrix weighted = weights(state.residuals, state.scale).asDiagonal() * slopes;
  const Vector leverage = (weighted * known).cwiseProduct(weighted).rowwise().sum();
  std::vector<double> found;
  for (Eigen::Index i = 0; i < leverage.size(); ++i) {
    found.push_back(state.residuals[i] / (1 - std::min(leverage[i], most_leverage)));
  }
  return found;
}

}  // namespace

RobustFit robust_fit(const std::vector<BoundedParameter>& parameters, const Residuals& residuals, double noise) {
  const FitProblem problem(parameters, residuals, noise);
  State state{.z = Vector::Zero(problem.count()), .residuals = {}, .scale = 1};
  state.residuals = problem.residuals(state.z);
  if (state.residuals.size() == 0 || !state.residuals.allFinite()) {
    throw InputError("a fit needs observations, each of which the model can predict");
  }
  RobustFit fit;
  double damping = 1e-3;
  for (bool moving = true; moving && fit.steps < most_steps; ++fit.steps) {
    state.scale = problem.scale(state.residuals);
    moving = improve(problem, state, damping);
  }
  state.scale = problem.scale(state.residuals);
  Matrix slopes;
  const Matrix known = covariance(problem, state, slopes);
  for (Eigen::Index i = 0; i < problem.count(); ++i) {
    const double deviation = std::sqrt(known(i, i));
    fit.parameters.push_back({.value = problem.value(state.z, i),
                              .half_width95 = normal95 * deviation * parameters[static_cast<std::size_t>(i)].doubt,
                              .determined = deviation <= 0.5});
  }
  fit.residuals.assign(state.residuals.begin(), state.residuals.end());
  fit.left_out = left_out(state, slopes, known);
  fit.scale = state.scale;
  fit.unsure = std::sqrt((slopes * known).cwiseProduct(slopes).sum() / static_cast<double>(state.residuals.size()));
  return fit;
}

}  // namespace tilemeter
