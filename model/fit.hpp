// Ordinary least squares: what coefficients of a linear model the data determine, and how well.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/units.hpp"

namespace tilemeter {

/// One coefficient; the half-width of its 95 % interval is from Student's t and supposes independent errors of equal
/// spread.
struct Coefficient {
  std::string name;
  double value = 0;
  double half_width95 = 0;
};

struct Fit {
  std::vector<Coefficient> coefficients;
  Count observations = 0;
  double residual_rms = 0;   ///< sqrt(sum of squares / observations), in the unit of the responses
  double residual_most = 0;  ///< the largest residual without its sign

  /// The coefficient called `name`, which must exist.
  const Coefficient& operator[](std::string_view name) const;
};

/// Observations of a linear model: response = sum of coefficient * regressor, plus an error.
class Observations {
 public:
  /// `names` are those of the coefficients, in the order of the regressors; `what` is called by this name in messages.
  Observations(std::string what, std::vector<std::string> names) : what_(std::move(what)), names_(std::move(names)) {}

  /// One observation, with as many regressors as there are names.
  void add(std::span<const double> regressors, double response);
  std::size_t size() const { return responses_.size(); }

  /// The least-squares fit, by a QR decomposition. Throws InputError when there are not more observations than
  /// coefficients, when a number is not finite, or when the data cannot determine some coefficients: it names them
  /// ("the data do not determine d and M apart").
  Fit fit() const;

 private:
  std::string what_;
  std::vector<std::string> names_;
  std::vector<double> regressors_;  ///< row-major, one row an observation
  std::vector<double> responses_;
};

}  // namespace tilemeter
