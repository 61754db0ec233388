#include "tools/roofline/points.hpp"

#include <array>
#include <functional>

#include "model/quantity.hpp"
#include "sim/catalog.hpp"
#include "tools/commands/shared.hpp"
#include "tools/options/point_options.hpp"
#include "tools/output/columns.hpp"
#include "tools/output/csv.hpp"
#include "tools/output/figures.hpp"
#include "tools/output/lines.hpp"
#include "tools/report/report.hpp"
#include "tools/roofline/bound.hpp"
#include "tools/roofline/document.hpp"
#include "tools/roofline/point_roofline.hpp"
#include "traces/csv.hpp"

namespace tilemeter::roofline {
namespace {

/// The member of a point that holds its roofline.
constexpr std::string_view section = "roofline";

struct Evaluated {
  std::vector<Json> points;
  std::vector<std::string> notes;
  std::vector<std::string> failures;
  std::vector<Device> devices;
};

const Json* figure_of(const Json& point, std::string_view key) {
  return find_path(point, {std::string(section), std::string(key)});
}

std::string conventions_note(const Json& point) {
  const Json* other = figure_of(point, "conventions");
  if (other == nullptr) return "";
  const auto figure = [&](const char* key) { return with_separators(other->at(key).get<Count>()); };
  std::string note = point["algorithm"].get<std::string>() + ", " + mask_text(point["problem"]) +
                     ": FLOPs of visited tiles " + figure("visited_flops") + ", of exact pairs " +
                     figure("pair_flops") + ", by the \"half\" convention " + figure("half_flops");
  if (other->contains("all_tiles")) {
    const double part = other->at("visited_tiles").get<double>() / other->at("all_tiles").get<double>();
    note += "; " + figure("visited_tiles") + " of " + figure("all_tiles") + " tiles visited (" + fixed(part * 100, 1) +
            " %)";
  }
  return note;
}

/// Adds what a finished point says beside its figures.
void add_remarks(const PointResult& result, const Json& point, const Rooflines& rooflines, const Arguments& arguments,
                 Evaluated& all) {
  const std::string name(result.request.algorithm->name);
  if (std::string note = conventions_note(point); !note.empty()) all.notes.push_back(std::move(note));
  const Cost cost = cost_of(result);
  all.notes = chained(std::move(all.notes), measured_notes(name, rooflines, cost, arguments));
  all.failures = chained(std::move(all.failures), measured_failures(name, rooflines, cost, arguments));
  if (!result.equal()) all.failures.push_back(name + ": the count differs from the closed form");
}

void add_measured(Json& json, const Cost& cost, const Rooflines& rooflines, Seconds measured) {
  const double flops = static_cast<double>(cost.flops.value()) / measured.value;
  json["measured_seconds"] = measured.value;
  json["measured_flop_per_second"] = flops;
  json["measured_share_of_peak"] = rooflines.peak.peak ? Json(flops / rooflines.peak.peak->value) : Json(nullptr);
  json["measured_hbm_bytes_per_second"] = static_cast<double>(cost.hbm.value()) / measured.value;
}

Json evaluate_one(const PointRequest& request, const Arguments& arguments, Feasibility feasibility, Evaluated& all) {
  const PointResult result = evaluate(request, {});
  if (result.refusal && feasibility == Feasibility::silent) throw InputError(*result.refusal);
  Json point = point_json(result, feasibility);
  if (result.refusal) return point;
  const Rooflines rooflines = rooflines_of(*request.device, math_type_of(arguments, result.problem.dtype), arguments);
  point[std::string(section)] = point_roofline(result, point, rooflines);
  if (const auto measured = measured_time(arguments)) {
    add_measured(point[std::string(section)], cost_of(result), rooflines, *measured);
  }
  add_remarks(result, point, rooflines, arguments, all);
  return point;
}

Evaluated evaluate_all(const PointGrid& grid, const Arguments& arguments) {
  Evaluated all;
  all.devices = devices_of(arguments, NoDevice::refused);
  if (grid.size() > 1 && measured_time(arguments)) {
    throw InputError("--time " + *arguments.find("--time") + " is the time of one point: the options stand for " +
                     std::to_string(grid.size()));
  }
  check_all(grid, {});
  const Feasibility feasibility = grid.size() == 1 ? Feasibility::silent : Feasibility::stated;
  for (std::size_t i = 0; i < grid.size(); ++i) {
    all.points.push_back(evaluate_one(grid[i], arguments, feasibility, all));
  }
  all.notes = chained(std::move(all.notes), bound_notes(all.devices, arguments));
  all.notes.push_back(
      "bytes at the SM edge are counted; those of device memory are compulsory (inputs and outputs once), the least "
      "that the L2 can leave; real DRAM traffic lies between the two");
  for (const Device& device : all.devices) {
    if (!device.l2.bandwidth) all.notes.push_back("L2 bandwidth of " + device.name + " unknown: it sets no bound here");
  }
  return all;
}

std::function<std::string(const Json&)> shown(std::string key, std::string (*text)(const Json&)) {
  return [key = std::move(key), text](const Json& point) -> std::string {
    const Json* value = figure_of(point, key);
    if (value == nullptr) return "-";
    return value->is_null() ? "unknown" : text(*value);
  };
}

std::string counted(const Json& value) { return with_separators(value.get<Count>()); }
std::string sized(const Json& value) { return binary_size(value.get<Count>()); }
std::string two_decimals(const Json& value) { return fixed(value.get<double>(), 2); }
std::string as_percent(const Json& value) { return fixed(value.get<double>() * 100, 2) + " %"; }
std::string timed(const Json& value) { return to_text(Seconds{value.get<double>()}); }
std::string word(const Json& value) { return value.get<std::string>(); }

std::vector<Figure> figures_for(const PointGrid& grid, const Arguments& arguments) {
  std::vector<Figure> figures = {{"algorithm", "", 16, Side::left, [](const Json& p) { return word(p["algorithm"]); }}};
  figures = chained(std::move(figures), varying_figures(grid));
  const auto add = [&](const char* title, const char* unit, std::size_t width, const char* key, auto text) {
    figures.push_back({title, unit, width, Side::right, shown(key, text)});
  };
  add("FLOPs", "visited tiles", 19, "flops", counted);
  add("SM edge", "bytes", 11, "sm_edge_bytes", sized);
  add("compulsory", "bytes", 11, "hbm_bytes", sized);
  add("intensity", "SM edge", 9, "sm_edge_intensity_flop_per_byte", two_decimals);
  add("intensity", "compulsory", 10, "hbm_intensity_flop_per_byte", two_decimals);
  add("ridge", "FLOP/B", 8, "hbm_ridge_flop_per_byte", two_decimals);
  add("attainable", "of peak", 10, "attainable_share_of_peak", as_percent);
  add("at peak", "time", 9, "peak_bound_seconds", timed);
  add("sustained", "time", 9, "sustained_bound_seconds", timed);
  add("no L2 hits", "time", 10, "no_l2_hits_bound_seconds", timed);
  add("bound by", "", 10, "binding", word);
  if (!measured_time(arguments)) return figures;
  add("measured", "time", 9, "measured_seconds", timed);
  add("reached", "of peak", 8, "measured_share_of_peak", as_percent);
  return figures;
}

constexpr std::array csv_keys = {"math_dtype",
                                 "flops",
                                 "hbm_bytes",
                                 "sm_edge_bytes",
                                 "hbm_intensity_flop_per_byte",
                                 "sm_edge_intensity_flop_per_byte",
                                 "hbm_ridge_flop_per_byte",
                                 "l2_ridge_flop_per_byte",
                                 "attainable_share_of_peak",
                                 "peak_bound_seconds",
                                 "sustained_share",
                                 "sustained_bound_seconds",
                                 "no_l2_hits_bound_seconds",
                                 "floor_seconds",
                                 "binding"};

std::string csv_of(const std::vector<Json>& points) {
  std::string text = csv_header();
  text.pop_back();
  for (const char* key : csv_keys) text += "," + std::string(section) + "_" + key;
  text += "\n";
  for (const Json& point : points) {
    std::string row = csv_row(point);
    row.pop_back();
    for (const char* key : csv_keys) {
      const Json* value = figure_of(point, key);
      row += ",";
      if (value == nullptr || value->is_null()) continue;
      row += csv_cell(value->is_string() ? word(*value) : value->dump());
    }
    text += row + "\n";
  }
  return text;
}

std::string lines_of(const Evaluated& all, const std::vector<Figure>& figures, Format format) {
  const bool md = format == Format::md;
  std::string text;
  if (md) {
    text = md_head(figures);
  } else {
    text = title_line(figures) + unit_line(figures);
  }
  for (const Json& point : all.points) {
    const auto cell = [&](const Figure& figure) { return figure.text(point); };
    text += md ? md_line(figures, cell) : table_line(figures, cell);
  }
  text += "\n";
  for (const std::string& note : all.notes) text += (md ? "- " : "note: ") + note + "\n";
  return text;
}

}  // namespace

PointsOutput points_output(const Arguments& arguments, Format format) {
  const PointGrid grid = point_grid(arguments, "roofline", Several::many);
  const Evaluated all = evaluate_all(grid, arguments);
  PointsOutput output{.text = {}, .failures = all.failures};
  if (format == Format::csv) {
    output.text = csv_of(all.points);
  } else if (format == Format::json || format == Format::html) {
    Json document = roofline_document(arguments, "points", all.devices, all.notes);
    document["points"] = all.points;
    output.text =
        format == Format::json ? document.dump(2) + "\n" : render_report(document.dump(), "tilemeter roofline");
  } else {
    output.text = lines_of(all, figures_for(grid, arguments), format);
  }
  return output;
}

}  // namespace tilemeter::roofline
