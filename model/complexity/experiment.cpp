#include "model/complexity/experiment.hpp"

#include <algorithm>
#include <cmath>

#include "model/fit.hpp"

namespace tilemeter::complexity {
namespace {

double share_of_tiles(const Billed& billed) {
  const Problem& problem = billed.point.problem;
  const Tiling& tiling = billed.point.tiling;
  const Count all = ceil_div(problem.rows(), tiling.block_q) * ceil_div(problem.seq_k, tiling.block_k);
  return static_cast<double>(billed.work.tiles) / static_cast<double>(all);
}

double value_of(Variable variable, const Scale& scale, const Billed& billed) {
  switch (variable) {
    case Variable::seq:
      return static_cast<double>(scale.seq);
    case Variable::head_dim:
      return static_cast<double>(scale.head_dim);
    case Variable::capacity:
      return static_cast<double>(scale.capacity);
    case Variable::share:
      break;
  }
  return share_of_tiles(billed);
}

double positive(double value, std::string_view what, const Scale& scale) {
  if (value > 0) return value;
  throw InputError("the exponents of " + std::string(what) + ": it is " + std::to_string(value) +
                   " at N = " + std::to_string(scale.seq) + ", d = " + std::to_string(scale.head_dim) +
                   ", M = " + std::to_string(scale.capacity) + "; only positive figures have a logarithm");
}

Observations logarithms(const FitExperiment& experiment, const Grid& grid, const Counting& counting) {
  std::vector<std::string> names = {"the constant"};
  for (const ExpectedExponent& exponent : experiment.exponents) names.emplace_back(name_of(exponent.variable));
  Observations observations("the exponents of " + text_of(experiment.contender), std::move(names));
  std::vector<double> regressors;
  for (const Scale& scale : grid.points) {
    const Billed billed = bill_of(experiment.contender, scale, counting);
    regressors.assign(1, 1.0);
    for (const ExpectedExponent& exponent : experiment.exponents) {
      regressors.push_back(std::log(value_of(exponent.variable, scale, billed)));
    }
    const double quantity = experiment.quantity.of(scale, billed);
    observations.add(regressors, std::log(positive(quantity, experiment.quantity.text, scale)));
  }
  return observations;
}

template <class Experiment>
Finding finding_of(const Experiment& experiment, const Grid& grid) {
  return {.contender = experiment.contender,
          .figure = {},
          .quantity = std::string(experiment.quantity.text),
          .where = std::string(experiment.where),
          .range = grid.range,
          .points = static_cast<Count>(grid.points.size())};
}

}  // namespace

std::string_view name_of(Variable variable) {
  switch (variable) {
    case Variable::seq:
      return "N";
    case Variable::head_dim:
      return "d";
    case Variable::capacity:
      return "M";
    case Variable::share:
      return "s";
  }
  return "";
}

std::vector<Finding> measure(const FitExperiment& experiment, const Grid& grid, const Counting& counting) {
  const Fit fit = logarithms(experiment, grid, counting).fit();
  std::vector<Finding> findings;
  for (const ExpectedExponent& exponent : experiment.exponents) {
    const Coefficient& fitted = fit[name_of(exponent.variable)];
    Finding finding = finding_of(experiment, grid);
    finding.figure = "exponent of " + fitted.name;
    finding.value = fitted.value;
    finding.half_width95 = fitted.half_width95;
    finding.residual_rms = fit.residual_rms;
    finding.residual_most = fit.residual_most;
    finding.accepted = exponent.accepted;
    findings.push_back(std::move(finding));
  }
  return findings;
}

std::vector<Finding> measure(const RatioExperiment& experiment, const Grid& grid, const Counting& counting) {
  Finding least = finding_of(experiment, grid);
  least.figure = "smallest";
  least.accepted = experiment.accepted;
  least.value = std::numeric_limits<double>::infinity();
  Finding most = least;
  most.figure = "largest";
  most.value = -least.value;
  for (const Scale& scale : grid.points) {
    const double ratio = experiment.quantity.of(scale, bill_of(experiment.contender, scale, counting));
    least.value = std::min(least.value, ratio);
    most.value = std::max(most.value, ratio);
  }
  return {least, most};
}

}  // namespace tilemeter::complexity
