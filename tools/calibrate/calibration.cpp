#include "tools/calibrate/calibration.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "model/error.hpp"
#include "model/expectation.hpp"
#include "model/robust_fit.hpp"
#include "sim/catalog.hpp"
#include "tools/time/timed_point.hpp"
#include "tools/validate/as_measured.hpp"

namespace tilemeter {
namespace {

/// A measured time is taken to be unsure by so much at the least.
constexpr double least_noise = 0.01;

/// An observation whose time can be predicted again and again.
struct TimedObservation {
  std::string source;
  PreparedPoint prepared;
  std::string_view algorithm;
  double seconds = 0;
};

double log_ratio(const TimedObservation& observation, const Efficiency& efficiency) {
  MachineRates rates = observation.prepared.rates;
  rates.fit = efficiency;
  return std::log(time_of(observation.prepared, observation.algorithm, rates).seconds / observation.seconds);
}

std::vector<BoundedParameter> parameters_to_fit(MatrixPath path) {
  std::vector<BoundedParameter> parameters;
  for (const EfficiencyFigure& figure : efficiency_figures()) {
    if (figure.member == &Efficiency::spread) continue;
    const Expectation expected = expectation_of(figure, path);
    parameters.push_back({.name = std::string(figure.name),
                          .prior = expected.value,
                          .doubt = expected.doubt,
                          .low = figure.low,
                          .high = figure.high});
  }
  return parameters;
}

Efficiency efficiency_of(std::span<const double> values) {
  Efficiency efficiency;
  std::size_t i = 0;
  for (const EfficiencyFigure& figure : efficiency_figures()) {
    if (figure.member != &Efficiency::spread) efficiency.*figure.member = values[i++];
  }
  return efficiency;
}

/// The scatter of observations that a fit would not have seen, and what the figures themselves are unsure of. A fit
/// with as many figures as observations leaves no scatter: those that the data determine are taken off their number.
double spread_of(const RobustFit& fit) {
  double squares = 0;
  for (const double residual : fit.left_out) squares += residual * residual;
  const auto count = static_cast<double>(fit.left_out.size());
  const auto determined = static_cast<double>(std::count_if(fit.parameters.begin(), fit.parameters.end(),
                                                            [](const FittedParameter& p) { return p.determined; }));
  const double scatter = std::sqrt(squares / std::max(1.0, count - determined));
  return std::hypot(std::max(scatter, least_noise), fit.unsure);
}

KernelFit fit_kernel(const std::string& kernel, const std::vector<TimedObservation>& observations) {
  const std::vector<BoundedParameter> parameters = parameters_to_fit(observations.front().prepared.execution.matrix);
  const auto residuals = [&](std::span<const double> values) {
    const Efficiency efficiency = efficiency_of(values);
    std::vector<double> found;
    for (const TimedObservation& observation : observations) found.push_back(log_ratio(observation, efficiency));
    return found;
  };
  const RobustFit fit = robust_fit(parameters, residuals, least_noise);
  KernelFit result{.kernel = kernel,
                   .figures = {},
                   .observations = static_cast<Count>(observations.size()),
                   .mean_error = 0,
                   .most_error = 0,
                   .residuals = {},
                   .spread = spread_of(fit)};
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    result.figures.push_back({.key = fit_key(kernel, parameters[i].name),
                              .value = fit.parameters[i].value,
                              .half_width95 = fit.parameters[i].half_width95,
                              .prior = parameters[i].prior,
                              .determined = fit.parameters[i].determined});
  }
  for (std::size_t i = 0; i < observations.size(); ++i) {
    const double ratio = std::exp(fit.residuals[i]);
    const double error = std::abs(ratio - 1);
    result.mean_error += error / static_cast<double>(observations.size());
    result.most_error = std::max(result.most_error, error);
    result.residuals.push_back({.source = observations[i].source,
                                .measured = observations[i].seconds,
                                .predicted = observations[i].seconds * ratio});
  }
  return result;
}

/// The kernels in the order of their first time.
std::vector<std::string> kernels_of(const std::vector<Observation>& observations) {
  std::vector<std::string> names;
  for (const Observation& observation : observations) {
    if (observation.time && std::find(names.begin(), names.end(), observation.kernel) == names.end()) {
      names.push_back(observation.kernel);
    }
  }
  return names;
}

}  // namespace

Calibration calibrate(const std::vector<Observation>& observations, const Device& device) {
  Calibration calibration;
  for (const std::string& kernel : kernels_of(observations)) {
    Device expected = device;
    expected.fits[kernel] = expected_efficiency();
    const auto shared = std::make_shared<const Device>(std::move(expected));
    std::vector<TimedObservation> timed;
    for (const Observation& observation : observations) {
      if (observation.kernel != kernel || !observation.time) continue;
      PointRequest request = observation.request;
      request.device = shared;
      const PointResult result = evaluated_as_measured(request);
      if (result.refusal) {
        calibration.notes.push_back(observation.source + ": left out: " + *result.refusal);
        continue;
      }
      const auto execution = [&](std::string_view, const Case&, const Device&) { return observation.execution; };
      timed.push_back({.source = observation.source,
                       .prepared = prepare(result, execution),
                       .algorithm = observation.request.algorithm->name,
                       .seconds = observation.time->seconds});
    }
    if (!timed.empty()) calibration.kernels.push_back(fit_kernel(kernel, timed));
  }
  if (calibration.kernels.empty()) {
    throw InputError(
        "calibrate: no time of any kernel among the observations; documents of `tilemeter measure` have some");
  }
  return calibration;
}

Device with_fits(Device device, const Calibration& calibration) {
  for (const KernelFit& fit : calibration.kernels) {
    Efficiency efficiency = expected_efficiency();
    for (const FittedFigure& figure : fit.figures) efficiency.*parse_fit_key(figure.key)->figure->member = figure.value;
    efficiency.spread = fit.spread;
    device.fits[fit.kernel] = efficiency;
  }
  return device;
}

}  // namespace tilemeter
