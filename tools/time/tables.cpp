#include "tools/time/tables.hpp"

#include <algorithm>
#include <cmath>

#include "tools/output/columns.hpp"
#include "tools/output/figures.hpp"
#include "tools/tables/render.hpp"

namespace tilemeter {
namespace {

using tables::Cell;
using tables::Decimal;
using tables::MadeTable;
using tables::Table;
using tables::TableColumn;

constexpr std::string_view method = "model/README.md, time in closed form; sim/README.md, the engine";

MadeTable made(std::string_view name, std::string_view title, std::vector<TableColumn> columns) {
  return {.spec = {.name = name, .title = title, .source = method}, .table = {.columns = std::move(columns)}};
}

Cell microseconds(const Json& seconds) {
  return seconds.is_null() ? Cell() : Cell(Decimal{seconds.get<double>() * 1e6, 3});
}
Cell percent(const Json& share) { return share.is_null() ? Cell() : Cell(Decimal{share.get<double>() * 100, 2}); }
Cell words(const Json& text) { return text.is_null() ? Cell() : Cell(text.get<std::string>()); }
Cell count(const Json& value) { return value.is_null() ? Cell() : Cell(value.get<Count>()); }
Cell part(double value, double whole) { return whole > 0 ? Cell(Decimal{value / whole * 100, 2}) : Cell(); }

/// A rate with the digits that it needs: whole from 1000 on.
Cell rate(double value) { return Cell(Decimal{value, std::abs(value) >= 1000 ? 0 : std::abs(value) >= 1 ? 3 : 9}); }

Json field(const Json& json, std::string_view key) {
  const auto found = json.find(std::string(key));
  return found == json.end() ? Json(nullptr) : *found;
}

std::string roofline_text(const Json& point) {
  return "max(FLOPs / peak, compulsory bytes " + std::to_string(point["compulsory"]["bytes"].get<Count>()) +
         " B / HBM): data-sheet peaks";
}

std::string sustained_text(const Json& time) {
  const Json share = field(time, "sustained_share");
  if (share.is_null()) return "the device states no sustained share";
  return "the same with HBM at " + std::to_string(std::lround(share.get<double>() * 100)) + " % of its peak";
}

MadeTable time_table(const Json& point) {
  const Json& time = point["time"];
  MadeTable table = made("time", "predicted, and what bounds it", {{"figure", ""}, {"time", "us"}, {"what it is", ""}});
  const auto add = [&](std::string name, const Json& seconds, std::string what) {
    table.table.rows.push_back({std::move(name), microseconds(seconds), std::move(what)});
  };
  add("predicted", time["seconds"], time["kind"].get<std::string>() + ", " + time["source"].get<std::string>());
  if (point.contains("estimate")) add("closed form", point["estimate"]["seconds"], "waves x steps, no simulation");
  const bool fitted = time["source"] == "fit";
  add("low", time["low"], fitted ? "95 % interval of the fit" : "launch + the largest bound of one resource");
  add("high", time["high"],
      fitted ? "95 % interval of the fit" : "launch + the sum of the bounds where most work is: nothing overlaps");
  if (time.contains("engine_seconds")) add("engine", time["engine_seconds"], "simulated, by the device's rates alone");
  add("roofline", time["roofline_seconds"], roofline_text(point));
  add("roofline, sustained", time["roofline_sustained_seconds"], sustained_text(time));
  add("floor", time["floor_seconds"], "launches alone");
  if (!time["share_of_peak"].is_null()) {
    const double clock = time["clock_hz"].get<double>() * 1e-9;
    std::string text = std::to_string(std::lround(clock * 1000)) + " MHz";
    table.table.notes.push_back("share of the peak at " + text + ": " +
                                tables::cell_text(percent(time["share_of_peak"])) + " %");
  }
  table.table.notes.push_back("binding: " + time["binding"].get<std::string>());
  return table;
}

MadeTable bounds_table(const Json& point) {
  const Json& time = point["time"];
  MadeTable table =
      made("bounds", "each resource alone", {{"resource", ""}, {"time", "us"}, {"of the prediction", "%"}});
  for (const auto& [resource, seconds] : time["bounds"].items()) {
    table.table.rows.push_back(
        {std::string(resource), microseconds(seconds), part(seconds.get<double>(), time["seconds"].get<double>())});
  }
  return table;
}

MadeTable traffic_table(const Json& point) {
  MadeTable table =
      made("traffic", "at each level", {{"level", ""}, {"read", "B"}, {"write", "B"}, {"what it is", ""}});
  const Json& levels = point["levels"];
  table.table.rows.push_back({std::string("SM edge"), count(levels["sm_edge"]["read"]),
                              count(levels["sm_edge"]["write"]), std::string("loads and stores of all SMs")});
  table.table.rows.push_back(
      {std::string("L2 hits"), count(levels["l2"]["hits"]), Cell(), std::string("reads that the L2 had")});
  table.table.rows.push_back({std::string("DRAM"), count(levels["dram"]["read"]), count(levels["dram"]["write"]),
                              std::string("until the end of the last kernel")});
  table.table.notes.push_back(
      "compulsory: " + std::to_string(point["compulsory"]["bytes"].get<Count>()) +
      " B; written and left in the L2: " + std::to_string(point["hbm"]["left_in_l2"].get<Count>()) + " B");
  return table;
}

MadeTable waits_table(const Json& point) {
  MadeTable table = made("waits", "what blocks spend their time on", {{"cause", ""}, {"of the blocks' time", "%"}});
  for (const auto& [cause, share] : point["waits"].items()) {
    table.table.rows.push_back({std::string(cause), percent(share)});
  }
  return table;
}

MadeTable launches_table(const Json& point) {
  MadeTable table = made("launches", "by the engine",
                         {{"kernel", ""}, {"blocks", ""}, {"resident", "per SM"}, {"waves", ""}, {"time", "us"}});
  for (const Json& launch : point["launches"]) {
    table.table.rows.push_back({words(launch["kernel"]), count(launch["blocks"]), count(launch["resident_blocks"]),
                                count(launch["waves"]), microseconds(launch["seconds"])});
  }
  return table;
}

MadeTable estimate_table(const Json& point) {
  MadeTable table = made("closed form", "by launches",
                         {{"kernel", ""},
                          {"times", ""},
                          {"blocks", ""},
                          {"resident", "per SM"},
                          {"waves", ""},
                          {"last wave", "%"},
                          {"imbalance", ""},
                          {"unit", "clk/step"},
                          {"chain", "clk/step"},
                          {"overhead", "clk/block"},
                          {"time", "us"}});
  const auto decimal = [](const Json& value, int digits) {
    return value.is_null() ? Cell() : Cell(Decimal{value.get<double>(), digits});
  };
  for (const Json& launch : point["estimate"]["launches"]) {
    const Json step = field(launch, "step_clocks");
    table.table.rows.push_back({words(launch["kernel"]), count(launch["times"]), count(field(launch, "blocks")),
                                count(field(launch, "resident_blocks")), count(field(launch, "waves")),
                                percent(field(launch, "last_wave_share")), decimal(field(launch, "imbalance"), 3),
                                decimal(step.is_null() ? Json(nullptr) : step["unit"], 0),
                                decimal(step.is_null() ? Json(nullptr) : step["chain"], 0),
                                decimal(field(launch, "block_overhead_clocks"), 0), microseconds(launch["seconds"])});
  }
  return table;
}

MadeTable rates_table(const Json& point) {
  MadeTable table =
      made("rates", "and where they come from", {{"rate", ""}, {"value", ""}, {"unit", ""}, {"from", ""}});
  for (const Json& each : point["rates"]) {
    table.table.rows.push_back(
        {words(each["name"]), rate(each["value"].get<double>()), words(each["unit"]), words(each["from"])});
  }
  return table;
}

/// Least, mean and most of one counter over the SMs.
struct Range {
  double least = 0;
  double mean = 0;
  double most = 0;
};

template <class Figure>
Range over_sms(const Json& sms, Figure figure) {
  Range range;
  for (const Json& sm : sms) {
    const double value = figure(sm);
    const bool first = &sm == &sms.front();
    range.least = first ? value : std::min(range.least, value);
    range.most = first ? value : std::max(range.most, value);
    range.mean += value / static_cast<double>(sms.size());
  }
  return range;
}

MadeTable sms_table(const Json& point) {
  const Json& sms = point["sms"];
  const double seconds = point["time"]["seconds"].get<double>();
  MadeTable table = made("SMs", "least, mean and most; json and csv have each",
                         {{"counter", ""}, {"least", ""}, {"mean", ""}, {"most", ""}, {"unit", ""}});
  const auto add = [&](std::string name, std::string unit, int digits, auto figure) {
    const Range range = over_sms(sms, figure);
    table.table.rows.push_back({std::move(name), Decimal{range.least, digits}, Decimal{range.mean, digits},
                                Decimal{range.most, digits}, std::move(unit)});
  };
  const auto number = [](std::string_view key) {
    return [key](const Json& sm) { return sm[std::string(key)].get<double>(); };
  };
  add("blocks", "", 1, number("blocks"));
  add("read", "B", 0, number("read_bytes"));
  add("written", "B", 0, number("write_bytes"));
  add("SRAM high-water", "B", 0, number("peak_bytes"));
  if (sms.empty()) return table;
  for (const auto& [unit, unused] : sms.front()["busy_seconds"].items()) {
    add(unit + " busy", "% of the time", 2, [&, name = unit](const Json& sm) {
      return seconds > 0 ? sm["busy_seconds"][name].template get<double>() / seconds * 100 : 0;
    });
  }
  return table;
}

std::string tiling_text(const Json& point) {
  const Json& tiling = point["tiling"];
  if (tiling.is_null()) return "";
  const Json rows = field(tiling, "block_q");
  const Json keys = field(tiling, "block_k");
  const std::string rule = " (" + field(tiling, "rule").get<std::string>() + ")";
  if (rows.is_null() || keys.is_null()) return rule;
  return ", " + std::to_string(rows.get<Count>()) + " x " + std::to_string(keys.get<Count>()) + rule;
}

std::string timed_problem_text(const Json& problem) {
  std::string text;
  for (const auto& [key, value] : problem.items()) {
    if (!value.is_number_integer()) continue;
    text += ", " + key + " " + std::to_string(value.get<Count>());
  }
  if (problem.contains("mask")) text += ", mask " + mask_text(problem);
  return text + ", " + problem["dtype"].get<std::string>();
}

}  // namespace

std::string timed_subject(const Json& point) {
  const Json& execution = point["execution"];
  return point["algorithm"].get<std::string>() + tiling_text(point) + timed_problem_text(point["problem"]) + ", on " +
         point["device"].get<std::string>() + ": " + execution["matrix"].get<std::string>() + ", " +
         execution["overlap"].get<std::string>() + ", " + std::to_string(execution["warps"].get<Count>()) + " warps, " +
         execution["scheduling"].get<std::string>() + ", " + execution["row_order"].get<std::string>() + " rows, " +
         execution["fastest"].get<std::string>() + " fastest";
}

std::vector<MadeTable> predict_tables(const Json& point) {
  std::vector<MadeTable> made = {time_table(point), bounds_table(point), traffic_table(point)};
  const bool simulated = !point["waits"].is_null();
  if (simulated) made.insert(made.end(), {waits_table(point), launches_table(point)});
  made.insert(made.end(), {estimate_table(point), rates_table(point)});
  return made;
}

std::vector<MadeTable> simulate_tables(const Json& point) {
  return {time_table(point), sms_table(point), traffic_table(point), waits_table(point), launches_table(point)};
}

MadeTable timed_list(const Json& points) {
  MadeTable table = made("predict", "a row an algorithm",
                         {{"algorithm", ""},
                          {"predicted", "us"},
                          {"low", "us"},
                          {"high", "us"},
                          {"roofline", "us"},
                          {"binding", ""},
                          {"SM edge", "B"},
                          {"DRAM", "B"},
                          {"kind", ""}});
  for (const Json& point : points) {
    const Json& time = point["time"];
    const Json& bytes = point["traffic"]["bytes"];
    table.table.rows.push_back({words(point["algorithm"]), microseconds(time["seconds"]), microseconds(time["low"]),
                                microseconds(time["high"]), microseconds(time["roofline_seconds"]),
                                words(time["binding"]), count(bytes["total"]), count(point["hbm"]["total"]),
                                words(time["kind"])});
  }
  return table;
}

}  // namespace tilemeter
