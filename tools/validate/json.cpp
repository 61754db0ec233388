#include "tools/validate/json.hpp"

#include <algorithm>
#include <cmath>

#include "sim/catalog.hpp"
#include "tools/measure/measurement.hpp"
#include "tools/output/number.hpp"
#include "tools/report/device_roofs.hpp"

namespace tilemeter::validation {
namespace {

Json maybe(const std::optional<double>& value) { return value ? number(*value) : Json(nullptr); }

Json split_json(const std::string& split) { return split.empty() ? Json(nullptr) : Json(split); }

/// What a worst row says of itself.
Json mention_json(const Row& row) {
  Json json;
  json["kernel"] = row.kernel;
  json["problem"] = row.problem;
  json["source"] = row.source;
  json["error"] = number(row.error());
  if (!row.detail.empty()) json["detail"] = row.detail;
  return json;
}

Json errors_json(const ErrorSummary& errors) {
  Json json;
  json["count"] = errors.count;
  json["mean"] = number(errors.mean);
  json["median"] = number(errors.median);
  json["max"] = number(errors.most);
  json["bias"] = number(errors.bias);
  json["worst"] = mention_json(*errors.worst);
  json["coverage"] = maybe(errors.coverage);
  json["intervals"] = errors.intervals;
  json["roofline_mean"] = maybe(errors.roofline_mean);
  json["two_level_mean"] = maybe(errors.two_level_mean);
  return json;
}

Json summary_json(const Summary& summary) {
  Json json;
  json["split"] = split_json(summary.split);
  json["role"] = name_of(summary.role);
  json["metric"] = name_of(summary.metric);
  json["who"] = summary.who;
  json["group"] = summary.group;
  json.update(errors_json(summary.errors));
  return json;
}

Json verdict_json(const Verdict& verdict) {
  Json json;
  json["metric"] = name_of(verdict.metric);
  json["split"] = split_json(verdict.split);
  json["who"] = verdict.who;
  json["limit"] = verdict.limit;
  json["status"] = name_of(verdict.status);
  json["words"] = verdict.words;
  json["count"] = verdict.errors.count;
  json["worst"] = Json::array();
  for (const Row* row : verdict.worst) json["worst"].push_back(mention_json(*row));
  return json;
}

Json step_json(const LadderStep& step) {
  Json json;
  json["split"] = step.split;
  json["rung"] = step.rung;
  json["below"] = step.below;
  json["problem"] = step.problem;
  json["measured_gain"] = number(step.measured);
  json["predicted_gain"] = number(step.predicted);
  json["points"] = number(step.points());
  json["sign_right"] = step.sign;
  json["within"] = step.within;
  return json;
}

/// What the steps of a split say together.
Json ladder_verdict_json(const Split& split, const std::vector<LadderStep>& ladder) {
  Count steps = 0;
  Count signs = 0;
  Count within = 0;
  double furthest = 0;
  for (const LadderStep& step : ladder) {
    if (step.split != split.word) continue;
    ++steps;
    signs += step.sign ? 1 : 0;
    within += step.within ? 1 : 0;
    furthest = std::max(furthest, std::abs(step.points()));
  }
  if (steps == 0) return nullptr;
  const std::string all = " of " + std::to_string(steps);
  Json json;
  json["metric"] = "ladder";
  json["split"] = split.word;
  json["who"] = ladder_rungs;
  json["limit"] = "each of the right sign, within 10 points";
  json["status"] = name_of(signs == steps && within == steps ? Status::kept : Status::missed);
  json["words"] = std::to_string(signs) + all + " gains of the right sign, " + std::to_string(within) + all +
                  " within 10 points, the furthest " + fixed(furthest, 1) + " points off";
  json["count"] = steps;
  json["worst"] = Json::array();
  return json;
}

Json verdicts_json(const Validation& validation) {
  Json list = Json::array();
  for (const Verdict& verdict : validation.verdicts) list.push_back(verdict_json(verdict));
  for (const Experiment& experiment : validation.experiments) {
    Json ladder = ladder_verdict_json(experiment.split, validation.ladder);
    if (!ladder.is_null()) list.push_back(std::move(ladder));
  }
  return list;
}

Json figure_json(const FittedFigure& figure) {
  return {{"key", figure.key},
          {"value", number(figure.value)},
          {"half_width95", number(figure.half_width95)},
          {"prior", number(figure.prior)},
          {"determined", figure.determined}};
}

Json fit_json(const KernelFit& fit) {
  Json json;
  json["kernel"] = fit.kernel;
  json["observations"] = fit.observations;
  json["mean_error"] = number(fit.mean_error);
  json["max_error"] = number(fit.most_error);
  json["spread"] = number(fit.spread);
  json["figures"] = Json::array();
  for (const FittedFigure& figure : fit.figures) json["figures"].push_back(figure_json(figure));
  return json;
}

Json experiment_json(const Experiment& experiment) {
  Json json;
  json["name"] = experiment.split.word;
  json["statement"] = experiment.split.statement;
  json["fitted"] = experiment.fitted;
  json["held_out"] = experiment.held_out;
  json["fits"] = Json::array();
  for (const KernelFit& fit : experiment.calibration.kernels) json["fits"].push_back(fit_json(fit));
  return json;
}

Json parts_json(const TimeParts& parts) {
  Json json;
  json["floor"] = number(parts.floor);
  for (const Resource resource : resources) json[std::string(name_of(resource))] = number(parts.bounds.at(resource));
  return json;
}

/// Bytes are whole numbers, times are seconds.
Json amount_json(const Row& row, double value) {
  return row.metric == Metric::time ? number(value) : Json(static_cast<Count>(value));
}

void add_time_figures(const Row& row, Json& json) {
  json["low"] = maybe(row.low);
  json["high"] = maybe(row.high);
  const auto inside = row.inside();
  json["inside"] = inside ? Json(*inside) : Json(nullptr);
  const auto baseline = [&](const char* name, const std::optional<double>& seconds) {
    json[name]["seconds"] = maybe(seconds);
    json[name]["error"] = seconds ? number(row.error_of(*seconds)) : Json(nullptr);
  };
  baseline("roofline", row.baselines.roofline);
  baseline("two_level", row.baselines.two_level);
  if (row.parts) json["parts"] = parts_json(*row.parts);
}

Json row_json(const Row& row) {
  Json json;
  json["observation"] = row.point;
  json["source"] = row.source;
  json["kernel"] = row.kernel;
  json["own"] = row.own;
  json["problem"] = row.problem;
  json["metric"] = name_of(row.metric);
  json["split"] = split_json(row.split);
  json["role"] = name_of(row.role);
  json["measured"] = amount_json(row, row.measured);
  json["predicted"] = amount_json(row, row.predicted);
  json["error"] = number(row.error());
  json["basis"] = row.basis;
  if (row.metric != Metric::time) json["within"] = row.within;
  if (!row.detail.empty()) json["detail"] = row.detail;
  if (row.metric == Metric::time) add_time_figures(row, json);
  return json;
}

/// What the roofline of the page needs of an observation.
Json observation_json(const ValidatedPoint& point) {
  const PointResult& result = point.result;
  Json json;
  json["source"] = point.observation.source;
  json["kernel"] = point.observation.kernel;
  json["own"] = point.observation.own;
  json["algorithm"] = result.request.algorithm->name;
  json["problem"] = problem_json(result);
  json["text"] = point.problem;
  json["matrix"] = name_of(point.observation.execution.matrix);
  json["device"] = result.request.device->name;
  json["math_dtype"] = name_of(result.problem.dtype);
  json["flops"] = result.counted.matmul_flops.value();
  json["useful_flops"] = useful_flops(result).value();
  json["compulsory_bytes"] = result.compulsory.total().total_bytes().value();
  json["edge_bytes"] = point.edge_read.value() + point.edge_write.value();
  const auto& time = point.observation.time;
  json["measured_seconds"] = time ? number(time->seconds) : Json(nullptr);
  json["measured_spread"] = time ? number(time->spread) : Json(nullptr);
  return json;
}

template <class List, class Made>
Json list_json(const List& list, Made made) {
  Json json = Json::array();
  for (const auto& item : list) json.push_back(made(item));
  return json;
}

}  // namespace

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json document_of(const Arguments& arguments, const Validation& validation) {
  Json json = document_json("validate", arguments);
  json["device"] = validation.device->name;
  json["interval"] = interval_share;
  json["verdicts"] = verdicts_json(validation);
  json["splits"] = list_json(validation.experiments, experiment_json);
  json["summaries"] = list_json(validation.summaries, summary_json);
  json["ladder"] = list_json(validation.ladder, step_json);
  json["missing"] = validation.missing;
  json["notes"] = validation.notes;
  json["devices"] = Json::array({device_roofs(*validation.device)});
  json["observations"] = list_json(validation.points, observation_json);
  json["rows"] = list_json(validation.rows, row_json);
  return json;
}

}  // namespace tilemeter::validation
