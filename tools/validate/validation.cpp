#include "tools/validate/validation.hpp"

#include <algorithm>

namespace tilemeter::validation {
namespace {

bool is_asked(const Question& question, Metric metric) {
  return std::find(question.metrics.begin(), question.metrics.end(), metric) != question.metrics.end();
}

/// Counts every observation; those that cannot be counted become notes.
void count_points(Question& question, Validation& validation) {
  std::vector<std::optional<ValidatedPoint>> counted(question.observations.size());
  std::vector<std::string> reasons(counted.size());
  for_each_point(counted.size(), question.threads, [&](std::size_t i) {
    try {
      counted[i] = validated_point(question.observations[i], question.device, question.memory);
    } catch (const InputError& error) {
      reasons[i] = question.observations[i].source + ": left out: " + error.what();
    }
  });
  for (std::size_t i = 0; i < counted.size(); ++i) {
    if (counted[i]) {
      validation.points.push_back(std::move(*counted[i]));
    } else {
      validation.notes.push_back(reasons[i]);
    }
  }
}

void collect_missing(Validation& validation) {
  for (const ValidatedPoint& point : validation.points) {
    const std::string subject = point.observation.source + ", " + point.observation.kernel + ": ";
    for (const std::string& missing : point.observation.missing) validation.missing.push_back(subject + missing);
    if (!point.prepared) validation.missing.push_back(subject + "time: " + point.not_timed);
  }
}

void add_traffic(const Question& question, Validation& validation) {
  for (std::size_t i = 0; i < validation.points.size(); ++i) {
    for (Row& row : traffic_rows(validation.points[i], i)) {
      if (is_asked(question, row.metric)) validation.rows.push_back(std::move(row));
    }
  }
}

void add_experiment(const Question& question, const Split& split, Validation& validation) {
  try {
    Experiment made = carried_out(split, validation.points, *question.device, question.threads);
    for (Row& row : made.rows) validation.rows.push_back(std::move(row));
    made.rows.clear();
    validation.notes.insert(validation.notes.end(), made.notes.begin(), made.notes.end());
    validation.experiments.push_back(std::move(made));
  } catch (const InputError& error) {
    if (!question.all) throw;
    validation.notes.push_back(error.what());
  }
}

std::string metric_names(const std::vector<Metric>& asked) {
  std::string names;
  for (const Metric metric : asked) names += (names.empty() ? "" : ", ") + std::string(name_of(metric));
  return names;
}

}  // namespace

Validation validated(Question question) {
  Validation validation;
  validation.device = question.device;
  validation.notes = question.notes;
  count_points(question, validation);
  collect_missing(validation);
  add_traffic(question, validation);
  if (is_asked(question, Metric::time)) {
    for (const Split& split : question.splits) add_experiment(question, split, validation);
  }
  if (validation.rows.empty()) {
    const std::string& why = !validation.notes.empty()     ? validation.notes.front()
                             : !validation.missing.empty() ? validation.missing.front()
                                                           : "no observation has any of them";
    throw InputError("validate: nothing to compare of " + metric_names(question.metrics) + ": " + why);
  }
  validation.summaries = summaries_of(validation.rows);
  validation.verdicts = verdicts_of(validation.rows);
  validation.ladder = ladder_steps(validation.rows);
  return validation;
}

}  // namespace tilemeter::validation
