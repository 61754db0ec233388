#include "tools/probe/render.hpp"

#include <cmath>
#include <utility>

#include "model/digits.hpp"
#include "model/quantity.hpp"
#include "tools/gpu.hpp"
#include "tools/output/listing.hpp"

namespace tilemeter {
namespace {

using kernels::Figure;

ProbeUnit unit_of(const Figure& figure) { return find_probe_key(figure.key)->unit; }

std::string percent_text(double share) { return significant_digits(100 * share, 2) + " %"; }

std::string number_text(double value) { return significant_digits(value, 9); }

/// Why a probe has no figures, as the words of its row.
std::string missing_text(const ProbeOutcome& outcome) {
  if (outcome.failure) return "failed: " + *outcome.failure;
  return "not available: " + outcome.unavailable.value_or("no figures");
}

Listing table_of(const ProbeRun& run) {
  Listing listing{.command = "probe",
                  .key = "figures",
                  .columns = {"figure", "value", "+-", "clock", "measures", "remarks"},
                  .rows = {}};
  for (const ProbeOutcome& outcome : run.outcomes) {
    for (const Figure& figure : outcome.figures) {
      listing.rows.push_back({figure.key, probe_text(unit_of(figure), figure.value),
                              percent_text(figure.half_width95 / std::abs(figure.value)),
                              figure.clock ? to_text(*figure.clock) : "", find_probe_key(figure.key)->measures,
                              figure.note});
    }
    if (outcome.figures.empty()) {
      listing.rows.push_back(
          {std::string(outcome.probe->name), "", "", "", std::string(outcome.probe->measures), missing_text(outcome)});
    }
  }
  return listing;
}

Listing csv_of(const ProbeRun& run) {
  Listing listing{.command = "probe",
                  .key = "figures",
                  .columns = {"probe", "key", "value", "unit", "half_width95", "samples", "clock_hertz", "note",
                              "reason", "gpu_name", "gpu_driver", "gpu_toolkit", "commit", "date", "run"},
                  .rows = {}};
  const auto add = [&](std::vector<std::string> row) {
    for (const std::string& cell : {run.gpu.name, run.gpu.driver, run.gpu.toolkit, run.commit, run.date, run.command}) {
      row.push_back(cell);
    }
    listing.rows.push_back(std::move(row));
  };
  for (const ProbeOutcome& outcome : run.outcomes) {
    const std::string name(outcome.probe->name);
    for (const Figure& figure : outcome.figures) {
      add({name, figure.key, number_text(figure.value), std::string(name_of(unit_of(figure))),
           number_text(figure.half_width95), std::to_string(figure.samples),
           figure.clock ? number_text(figure.clock->value) : "", figure.note, ""});
    }
    if (outcome.figures.empty()) add({name, "", "", "", "", "", "", "", missing_text(outcome)});
  }
  return listing;
}

Json figure_json(const ProbeOutcome& outcome, const Figure& figure) {
  Json json;
  json["probe"] = outcome.probe->name;
  json["key"] = figure.key;
  json["measures"] = find_probe_key(figure.key)->measures;
  json["value"] = figure.value;
  json["unit"] = name_of(unit_of(figure));
  json["half_width95"] = figure.half_width95;
  json["samples"] = figure.samples;
  json["clock_hertz"] = figure.clock ? Json(figure.clock->value) : Json(nullptr);
  json["note"] = figure.note;
  return json;
}

std::string json_text(const ProbeRun& run) {
  Json document = document_json("probe");
  document["gpu"] = gpu_json(run.gpu);
  document["commit"] = run.commit;
  document["date"] = run.date;
  document["run"] = run.command;
  Json figures = Json::array(), missing = Json::array();
  for (const ProbeOutcome& outcome : run.outcomes) {
    for (const Figure& figure : outcome.figures) figures.push_back(figure_json(outcome, figure));
    if (!outcome.figures.empty()) continue;
    missing.push_back(
        {{"probe", outcome.probe->name}, {"reason", missing_text(outcome)}, {"failed", outcome.failure.has_value()}});
  }
  document["figures"] = std::move(figures);
  document["missing"] = std::move(missing);
  return document.dump(2) + "\n";
}

}  // namespace

std::string render_probes(const ProbeRun& run, Format format) {
  if (format == Format::json) return json_text(run);
  return render_listing(format == Format::csv ? csv_of(run) : table_of(run), format);
}

}  // namespace tilemeter
