#include "tools/calibrate/render.hpp"

#include <algorithm>
#include <cmath>

#include "model/digits.hpp"
#include "model/shipped_devices.hpp"
#include "tools/output/listing.hpp"
#include "tools/output/overlay.hpp"
#include "tools/version.hpp"

namespace tilemeter {
namespace {

const EfficiencyFigure& figure_of(const FittedFigure& fitted) { return *parse_fit_key(fitted.key)->figure; }

std::string value_text(const FittedFigure& fitted) { return probe_text(figure_of(fitted).unit, fitted.value); }

std::string percent(double share) { return fixed_digits(100 * share, 1) + " %"; }

std::string half_width_text(const FittedFigure& fitted) {
  return probe_text(figure_of(fitted).unit, fitted.half_width95);
}

double share_of_value(const FittedFigure& fitted) {
  return fitted.value == 0 ? 0 : fitted.half_width95 / std::abs(fitted.value);
}

DeviceFact fact_of(const KernelFit& fit, const FittedFigure& fitted, const CalibrationOrigin& origin) {
  const std::string known = fitted.determined ? "fit of " + std::to_string(fit.observations) + " times"
                                              : "for the most part what was expected: the data say little";
  return {.key = fitted.key,
          .value = value_text(fitted),
          .source = known + "; tilemeter " + std::string(program_version) + " of commit " + origin.commit,
          .provenance = {.interval = interval_text(share_of_value(fitted)),
                         .clock = "",
                         .date = origin.date,
                         .command = origin.command}};
}

DeviceFact spread_fact(const KernelFit& fit, const CalibrationOrigin& origin) {
  return {.key = fit_key(fit.kernel, "spread"),
          .value = probe_text(ProbeUnit::ratio, fit.spread),
          .source = "residuals of " + std::to_string(fit.observations) + " times; tilemeter " +
                    std::string(program_version) + " of commit " + origin.commit,
          .provenance = {.interval = "", .clock = "", .date = origin.date, .command = origin.command}};
}

/// What `device` states differently from the shipped device of its name.
std::vector<DeviceFact> changes_of(const Device& device) {
  const Device shipped = load_device(device.name);
  std::vector<DeviceFact> changes;
  for (const DeviceFact& fact : device.facts) {
    if (is_below_fit(fact.key)) continue;
    if (std::find(shipped.facts.begin(), shipped.facts.end(), fact) == shipped.facts.end()) changes.push_back(fact);
  }
  return changes;
}

Json figure_json(const FittedFigure& fitted) {
  const EfficiencyFigure& figure = figure_of(fitted);
  return {{"key", fitted.key},
          {"value", fitted.value},
          {"unit", name_of(figure.unit)},
          {"half_width95", fitted.half_width95},
          {"expected", fitted.prior},
          {"determined", fitted.determined},
          {"meaning", figure.meaning}};
}

}  // namespace

std::string fit_overlay(const Calibration& calibration, const Device& device, const CalibrationOrigin& origin) {
  std::vector<DeviceFact> facts = changes_of(device);
  for (const KernelFit& fit : calibration.kernels) {
    for (const FittedFigure& figure : fit.figures) facts.push_back(fact_of(fit, figure, origin));
    facts.push_back(spread_fact(fit, origin));
  }
  return overlay_document("What kernels reach of the rates of " + origin.device +
                              ": an overlay of the shipped device `" + device.name + "`, read by --device.",
                          device.name, facts);
}

Json calibration_json(const Calibration& calibration, const CalibrationOrigin& origin) {
  Json document = {{"schema", 1},
                   {"command", "calibrate"},
                   {"version", program_version},
                   {"device", origin.device},
                   {"date", origin.date},
                   {"command_line", origin.command},
                   {"commit", origin.commit},
                   {"kernels", Json::array()},
                   {"notes", calibration.notes}};
  for (const KernelFit& fit : calibration.kernels) {
    Json figures = Json::array();
    for (const FittedFigure& figure : fit.figures) figures.push_back(figure_json(figure));
    Json residuals = Json::array();
    for (const FitResidual& residual : fit.residuals) {
      residuals.push_back({{"source", residual.source},
                           {"measured_seconds", residual.measured},
                           {"predicted_seconds", residual.predicted},
                           {"error", residual.predicted / residual.measured - 1}});
    }
    document["kernels"].push_back({{"kernel", fit.kernel},
                                   {"observations", fit.observations},
                                   {"mean_error", fit.mean_error},
                                   {"most_error", fit.most_error},
                                   {"spread", fit.spread},
                                   {"figures", std::move(figures)},
                                   {"residuals", std::move(residuals)}});
  }
  return document;
}

std::string render_calibration(const Calibration& calibration, const CalibrationOrigin& origin, Format format) {
  if (format == Format::json) return calibration_json(calibration, origin).dump(2) + "\n";
  Listing listing{
      .command = "calibrate",
      .key = "figures",
      .columns = {"figure", "value", "+- (95 %)", "expected", "by data", "times", "mean error", "most", "meaning"},
      .rows = {}};
  for (const KernelFit& fit : calibration.kernels) {
    for (const FittedFigure& figure : fit.figures) {
      listing.rows.push_back({figure.key, value_text(figure), half_width_text(figure),
                              probe_text(figure_of(figure).unit, figure.prior), figure.determined ? "yes" : "no",
                              std::to_string(fit.observations), percent(fit.mean_error), percent(fit.most_error),
                              std::string(figure_of(figure).meaning)});
    }
  }
  return render_listing(listing, format);
}

}  // namespace tilemeter
