// Least squares with expectations and bounds: for models that are not linear, on data with outliers.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace tilemeter {

/// A parameter of which something is known beforehand: `prior` +- `doubt` (a standard deviation), in [low, high].
struct BoundedParameter {
  std::string name;
  double prior = 0;
  double doubt = 1;
  double low = 0;
  double high = 1;
};

struct FittedParameter {
  double value = 0;
  double half_width95 = 0;
  bool determined = false;  ///< the data narrowed what was known to half or less
};

struct RobustFit {
  std::vector<FittedParameter> parameters;
  std::vector<double> residuals;  ///< at the fitted values
  std::vector<double>
      left_out;       ///< what each would be, nearly, had the fit not seen its observation: r / (1 - leverage)
  double scale = 0;   ///< of the residuals: 1.4826 times the median of their sizes, 1 to 5 times the noise
  double unsure = 0;  ///< standard deviation of a fitted residual by what the parameters are unsure of
  int steps = 0;
};

/// The residuals of a model at some values of its parameters, one for each observation.
using Residuals = std::function<std::vector<double>(std::span<const double>)>;

/// The values with the least sum of Huber's function of the residuals (Huber, "Robust Estimation of a Location
/// Parameter", 1964; quadratic up to 1.345 scales) and of the squared distances from the priors in doubts, by
/// Levenberg and Marquardt's method with differences for derivatives. `noise` is the least scale: what a measurement
/// is unsure of by itself. Intervals are those of the linear model at the end. Throws InputError when a residual is
/// not finite at the priors.
RobustFit robust_fit(const std::vector<BoundedParameter>& parameters, const Residuals& residuals, double noise);

}  // namespace tilemeter
