#include "tools/validate/experiment.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "tools/sweep/pool.hpp"
#include "tools/validate/causes.hpp"
#include "tools/validate/statistics.hpp"

namespace tilemeter::validation {
namespace {

using Roles = std::vector<std::optional<Role>>;

/// How the predictions of a kernel are scaled, and how far they are from what is measured.
struct Correction {
  double factor = 1;
  std::optional<double> spread;  ///< standard deviation of log(measured / predicted)
};

bool is_other(SplitName split, const ValidatedPoint& point) {
  return split == SplitName::kernel && !point.observation.own;
}

std::vector<Observation> to_fit(SplitName split, const std::vector<ValidatedPoint>& points, const Roles& roles) {
  std::vector<Observation> fitted;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (roles[i] == Role::fitted && !is_other(split, points[i])) fitted.push_back(points[i].observation);
  }
  return fitted;
}

/// The fits of all kernels, each on its own, in the order of their first observation.
Calibration calibrated(const std::vector<Observation>& fitted, const Device& device, std::size_t threads) {
  std::vector<std::string> kernels;
  std::map<std::string, std::vector<Observation>> by_kernel;
  for (const Observation& observation : fitted) {
    if (!by_kernel.contains(observation.kernel)) kernels.push_back(observation.kernel);
    by_kernel[observation.kernel].push_back(observation);
  }
  std::vector<Calibration> parts(kernels.size());
  for_each_point(kernels.size(), threads,
                 [&](std::size_t i) { parts[i] = calibrate(by_kernel.at(kernels[i]), device); });
  Calibration all;
  for (const Calibration& part : parts) {
    all.kernels.insert(all.kernels.end(), part.kernels.begin(), part.kernels.end());
    all.notes.insert(all.notes.end(), part.notes.begin(), part.notes.end());
  }
  return all;
}

/// Of each kernel: what its fit leaves over, that of the device as it was given where none was made; of others in the
/// split `kernel` the one constant.
std::map<std::string, Correction> corrections_of(SplitName split, const std::vector<ValidatedPoint>& points,
                                                 const Device& device, const Calibration& calibration,
                                                 const std::vector<Row>& rows) {
  std::map<std::string, Correction> corrections;
  for (const auto& [kernel, fit] : device.fits) corrections[kernel].spread = fit.spread;
  for (const KernelFit& fit : calibration.kernels) corrections[fit.kernel].spread = fit.spread;
  std::map<std::string, std::vector<double>> ratios;
  for (const Row& row : rows) {
    if (!is_other(split, points[row.point])) continue;
    if (row.role == Role::fitted) ratios[row.kernel].push_back(std::log(row.measured / row.predicted));
  }
  for (const auto& [kernel, logs] : ratios) {
    corrections[kernel] = {.factor = std::exp(median_of(logs)), .spread = robust_spread(logs)};
  }
  return corrections;
}

void correct(const Correction& correction, Row& row) {
  row.predicted *= correction.factor;
  if (!correction.spread || *correction.spread <= 0) return;
  const double reach = std::exp(interval_quantile * *correction.spread);
  row.low = row.predicted / reach;
  row.high = row.predicted * reach;
}

void note_left_out(const std::vector<ValidatedPoint>& points, const Roles& roles, Experiment& experiment) {
  std::map<std::string, Count> left_out;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!roles[i] && points[i].observation.time && points[i].prepared) ++left_out[points[i].observation.kernel];
  }
  if (left_out.empty()) return;
  std::string text;
  for (const auto& [kernel, count] : left_out) {
    text += (text.empty() ? "" : ", ") + kernel + " (" + std::to_string(count) + ")";
  }
  experiment.notes.push_back("split " + std::string(experiment.split.word) +
                             ", left out since nothing of them is on the side that is fitted, or for want of such a "
                             "size: " +
                             text);
}

std::vector<Row> predicted_rows(const Split& split, const std::vector<ValidatedPoint>& points, const Roles& roles,
                                const Device& device, std::size_t threads) {
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (roles[i]) chosen.push_back(i);
  }
  std::vector<Row> rows(chosen.size());
  for_each_point(chosen.size(), threads, [&](std::size_t at) {
    const std::size_t i = chosen[at];
    const std::string kernel = figures_of_kernel(split.name, points[i], points, roles);
    rows[at] = time_row(points[i], i, timed_on(points[i], device, kernel));
    rows[at].split = split.word;
    rows[at].role = *roles[i];
    if (rows[at].role != Role::unfitted && std::abs(rows[at].error()) > error_to_explain) {
      rows[at].detail = known_cause(rows[at].kernel, Metric::time);
    }
  });
  return rows;
}

}  // namespace

void for_each_point(std::size_t count, std::size_t threads, const std::function<void(std::size_t)>& work) {
  run_pool({.threads = threads, .delivery = Delivery::as_finished}, {.count = count,
                                                                     .skip = nullptr,
                                                                     .make =
                                                                         [&](std::size_t i) {
                                                                           work(i);
                                                                           return std::string();
                                                                         },
                                                                     .take = [](std::size_t, const std::string&) {},
                                                                     .progress = [](std::size_t) {},
                                                                     .stop = [] { return false; }});
}

std::string figures_of_kernel(SplitName split, const ValidatedPoint& point, const std::vector<ValidatedPoint>& points,
                              const Roles& roles) {
  const std::string& kernel = point.observation.kernel;
  if (!is_other(split, point)) return ladder_of(kernel).value_or(kernel);
  std::map<std::string, Count> alike;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Observation& own = points[i].observation;
    if (!own.own || roles[i] != Role::fitted) continue;
    if (own.request.algorithm != point.observation.request.algorithm) continue;
    if (own.execution.matrix == point.observation.execution.matrix) ++alike[own.kernel];
  }
  const auto most =
      std::max_element(alike.begin(), alike.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == alike.end() ? "" : most->first;
}

Experiment carried_out(const Split& split, const std::vector<ValidatedPoint>& points, const Device& device,
                       std::size_t threads) {
  Experiment experiment;
  experiment.split = split;
  const Roles roles = roles_of(split, points);
  Device fitted_device = device;
  if (split.name != SplitName::none) {
    const std::vector<Observation> fitted = to_fit(split.name, points, roles);
    if (fitted.empty()) {
      throw InputError("--split " + std::string(split.word) + ": nothing to fit among the observations (" +
                       std::string(split.statement) + ")");
    }
    experiment.calibration = calibrated(fitted, device, threads);
    fitted_device = with_fits(device, experiment.calibration);
  }
  experiment.rows = predicted_rows(split, points, roles, fitted_device, threads);
  const auto corrections = corrections_of(split.name, points, device, experiment.calibration, experiment.rows);
  for (Row& row : experiment.rows) {
    const auto found = corrections.find(ladder_of(row.kernel).value_or(row.kernel));
    if (found != corrections.end()) correct(found->second, row);
    if (row.role == Role::fitted) ++experiment.fitted;
    if (row.role == Role::held_out) ++experiment.held_out;
  }
  note_left_out(points, roles, experiment);
  for (const std::string& note : experiment.calibration.notes) experiment.notes.push_back(note);
  return experiment;
}

}  // namespace tilemeter::validation
