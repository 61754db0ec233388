#include "tools/report/report.hpp"

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "model/date.hpp"
#include "model/error.hpp"
#include "tools/report/check_records.hpp"
#include "tools/report/device_roofs.hpp"
#include "tools/report/node.hpp"
#include "tools/report/page.hpp"
#include "tools/report/trace_document.hpp"
#include "traces/json_fault.hpp"

namespace tilemeter {
namespace {

using Json = nlohmann::json;
using report::Node;

void check_amounts(const Node& place) {
  for (const char* unit : {"elements", "bytes"}) place.member(unit).integers_if_present({"read", "write", "total"});
}

void check_required_amounts(const Node& traffic) {
  for (const char* key : {"read", "write", "total"}) {
    const Node amount = traffic.member("elements").member(key);
    if (!amount.present()) amount.refuse("an integer number of elements is needed");
  }
}

void check_traffic(const Node& point) {
  const Node traffic = point.member("traffic");
  const Node feasible = point.member("feasible");
  if (feasible.present()) feasible.require(Json::value_t::boolean, "true or false is accepted");
  traffic.object_if_present();
  if (!traffic.present()) {
    if (!feasible.present() || feasible.value().get<bool>())
      traffic.refuse("only a point with \"feasible\": false has none");
    return;
  }
  check_amounts(traffic);
  check_required_amounts(traffic);
  const Node tensors = traffic.member("tensors");
  tensors.object_if_present();
  if (!tensors.present()) return;
  for (const auto& [name, unused] : tensors.value().items()) {
    tensors.member(name).integers_if_present({"read_elements", "write_elements", "read_bytes", "write_bytes"});
  }
}

void check_closed_form(const Node& point) {
  const Node closed_form = point.member("closed_form");
  closed_form.object_if_present();
  const Node equal = closed_form.member("equal");
  if (equal.present()) equal.require(Json::value_t::boolean, "true or false is accepted");
  check_amounts(closed_form);
}

void check_sram(const Node& point) {
  const Node sram = point.member("sram");
  sram.integers_if_present({"peak_elements", "peak_bytes", "capacity_elements", "capacity_bytes"});
  const Node tiles = sram.member("tiles");
  if (!tiles.present()) return;
  tiles.require(Json::value_t::array, "a list of tiles is accepted");
  for (std::size_t i = 0; i < tiles.value().size(); ++i) {
    tiles.item(i).require(Json::value_t::object, "a tile is accepted");
    tiles.item(i).integers_if_present({"rows", "cols", "elements", "bytes"});
  }
}

void check_point(const Node& point) {
  point.require(Json::value_t::object, "a point is accepted");
  point.member("algorithm").require(Json::value_t::string, "the name of an algorithm is needed");
  const Node problem = point.member("problem");
  problem.require(Json::value_t::object, "the problem of the point is needed");
  for (const char* key : {"mask", "dtype", "stat_dtype", "weight_dtype"}) problem.text_if_present(key);
  problem.integers_if_present(
      {"batch", "heads", "kv_heads", "seq_q", "seq_k", "head_dim", "head_dim_v", "window_left", "window_right"});
  problem.integers_if_present(
      {"m", "n", "k", "tokens", "d_in", "d_out", "group_size", "rows", "cols", "length", "ops", "side_inputs"});
  point.member("tiling").integers_if_present({"block_q", "block_k", "block_m", "block_n", "stages"});
  for (const char* key : {"rule", "order"}) point.member("tiling").text_if_present(key);
  point.member("options").text_if_present("variant");
  point.integers_if_present({"overflow_elements"});
  point.text_if_present("reason");
  check_traffic(point);
  check_closed_form(point);
  check_sram(point);
  report::check_time(point);
}

void check_tiling(const Node& tiling) {
  tiling.require(Json::value_t::object, "a tiling is accepted");
  if (!tiling.member("block_k").present()) tiling.member("block_k").refuse("the sizes of the tiling are needed");
  tiling.integers_if_present({"block_m", "block_n", "block_q", "block_k", "block_d", "stages", "on_chip"});
}

/// The time of a tiling, where it has one.
void check_tiling_time(const Node& time) {
  time.object_if_present();
  if (time.present()) time.number("seconds");
}

void check_warnings(const Node& warnings) {
  if (!warnings.present()) return;
  warnings.require(Json::value_t::array, "a list of sentences is accepted");
  for (std::size_t i = 0; i < warnings.value().size(); ++i) {
    warnings.item(i).require(Json::value_t::string, "a sentence is accepted");
  }
}

/// The tilings of `list`, each with objects under `keys` whose "elements" and "bytes" are integers.
void check_tilings(const Node& list, std::initializer_list<const char*> keys) {
  list.require(Json::value_t::array, "a list of tilings is accepted");
  for (std::size_t i = 0; i < list.value().size(); ++i) {
    check_tiling(list.item(i));
    for (const char* key : keys) list.item(i).member(key).integers_if_present({"elements", "bytes"});
    check_tiling_time(list.item(i).member("time"));
    check_warnings(list.item(i).member("warnings"));
  }
}

void check_front(const Node& front) {
  front.require(Json::value_t::object, "the front of traffic and memory is needed");
  const Node unit = front.member("unit");
  if (!unit.present() || (unit.value() != "elements" && unit.value() != "bytes")) {
    unit.refuse("elements or bytes is accepted");
  }
  const Node tilings = front.member("tilings");
  check_tilings(tilings, {});
  for (std::size_t i = 0; i < tilings.value().size(); ++i) tilings.item(i).integers_if_present({"traffic"});
}

void check_result(const Node& result) {
  result.require(Json::value_t::object, "a result of tune is accepted");
  for (const char* key : {"algorithm", "order"})
    result.member(key).require(Json::value_t::string, "a string is needed");
  result.member("problem").require(Json::value_t::object, "the problem of the result is needed");
  const Node budget = result.member("budget");
  budget.require(Json::value_t::object, "the budget of the result is needed");
  budget.member("owner").require(Json::value_t::string, "a string is needed");
  budget.integers_if_present({"capacity_elements", "capacity_bytes"});
  result.text_if_present("reason");
  check_tilings(result.member("best"), {"traffic", "sram"});
  check_front(result.member("front"));
  check_tilings(result.member("candidates"), {"traffic", "sram"});
}

void check_results(const Node& document) {
  const Node results = document.member("results");
  results.require(Json::value_t::array, "the list of results of tune is needed");
  for (std::size_t i = 0; i < results.value().size(); ++i) check_result(results.item(i));
}

/// The roofs of devices, as `device_roofs` writes them.
void check_devices(const Node& document) {
  const Node devices = document.member("devices");
  if (!devices.present()) return;
  devices.require(Json::value_t::array, "a list of devices is accepted");
  for (std::size_t i = 0; i < devices.value().size(); ++i) {
    const Node device = devices.item(i);
    device.member("name").require(Json::value_t::string, "the name of a device is needed");
    const Node peaks = device.member("peaks");
    peaks.require(Json::value_t::object, "peaks by type are needed");
    for (const auto& [type, unused] : peaks.value().items()) peaks.member(type).number("flop_per_second");
    const Node levels = device.member("levels");
    levels.require(Json::value_t::array, "a list of memory levels is needed");
    if (levels.value().empty()) levels.refuse("at least device memory is needed");
    for (std::size_t j = 0; j < levels.value().size(); ++j) {
      levels.item(j).member("level").require(Json::value_t::string, "the name of a level is needed");
      levels.item(j).number("bytes_per_second");
    }
  }
}

/// Rows of `roofline`: objects of named figures.
void check_rows(const Node& rows) {
  rows.require(Json::value_t::array, "a list of rows is accepted");
  for (std::size_t i = 0; i < rows.value().size(); ++i) {
    rows.item(i).require(Json::value_t::object, "a row of named figures is accepted");
    rows.item(i).integers_if_present({"flops", "hbm_bytes", "packed_bytes"});
  }
}

/// A row of `validate`: of which observation, its metric, and numbers or null for its figures.
void check_validated_row(const Node& row, std::size_t observations) {
  row.require(Json::value_t::object, "a row of validate is accepted");
  for (const char* key : {"kernel", "problem", "metric", "role", "source"}) {
    row.member(key).require(Json::value_t::string, "a string is needed");
  }
  const Node observation = row.member("observation");
  const bool known = observation.present() && observation.value().is_number_unsigned() &&
                     observation.value().get<std::size_t>() < observations;
  if (!known) observation.refuse("the number of an observation is needed");
  for (const char* key : {"measured", "predicted", "error"}) {
    const Node figure = row.member(key);
    if (figure.present() && !figure.value().is_number()) figure.refuse("a number or null is accepted");
  }
}

void check_validation(const Node& document) {
  for (const char* key : {"verdicts", "splits", "summaries", "ladder", "missing", "notes", "observations", "rows"}) {
    document.member(key).require(Json::value_t::array, "a list that validate writes is needed");
  }
  const Node observations = document.member("observations");
  for (std::size_t i = 0; i < observations.value().size(); ++i) {
    const Node observation = observations.item(i);
    observation.require(Json::value_t::object, "an observation is accepted");
    observation.member("problem").require(Json::value_t::object, "the problem of the observation is needed");
  }
  const Node rows = document.member("rows");
  for (std::size_t i = 0; i < rows.value().size(); ++i) check_validated_row(rows.item(i), observations.value().size());
  if (document.member("reproductions").present()) report::check_tables(document, "reproductions");
}

void check_document(const Node& document) {
  document.require(Json::value_t::object, "a JSON object that the program wrote is accepted");
  const Node schema = document.member("schema");
  if (!schema.present() || schema.value() != 1) schema.refuse("schema 1 is accepted");
  for (const char* key : {"command", "version"})
    document.member(key).require(Json::value_t::string, "a string is needed");
  const std::string command = document.member("command").value();
  if (command == "tune") return check_results(document);
  if (command == "validate") return check_validation(document);
  if (command == "measure") return report::check_measurements(document);
  if (command == "calibrate") return report::check_calibration(document);
  if (command == "occupancy") return report::check_occupancies(document);
  if (command == "tables" || command == "complexity") return report::check_tables(document, "tables");
  const Node points = document.member("points");
  if (!points.present()) {
    if (document.member("rows").present()) return check_rows(document.member("rows"));
    if (document.member("algorithm").present()) return check_point(document);
    points.refuse("a document of count, sweep, predict or another command with a result is accepted");
  }
  points.require(Json::value_t::array, "a list of points is accepted");
  for (std::size_t i = 0; i < points.value().size(); ++i) check_point(points.item(i));
}

/// The devices that points name and whose roofs the document does not hold.
std::set<std::string> named_devices(const Json& document) {
  std::set<std::string> names;
  const auto add = [&](const Json& point) {
    if (point.is_object() && point.contains("device") && point["device"].is_string()) names.insert(point["device"]);
  };
  add(document);
  if (document.contains("points")) {
    for (const Json& point : document["points"]) add(point);
  }
  if (!document.contains("devices")) return names;
  for (const Json& device : document["devices"]) names.erase(device.at("name").get<std::string>());
  return names;
}

Json parse(std::string_view text, std::string_view origin) {
  try {
    return Json::parse(text);
  } catch (const Json::exception& error) {
    throw InputError(std::string(origin) + ": not JSON: " + json_fault(error.what()));
  }
}

}  // namespace

std::string render_report(std::string_view json_text, std::string_view title, std::string_view origin) {
  const Json document = parse(json_text, origin);
  const std::string made = build_date();
  if (report::is_trace(document)) {
    const std::string text = report::document_of_trace(document, origin).dump();
    return assemble_page({.json = text, .title = title, .made = made});
  }
  check_document(Node("", &document, origin));
  check_devices(Node("", &document, origin));
  const std::string roofs = shipped_roofs(named_devices(document)).dump();
  return assemble_page({.json = json_text, .title = title, .made = made, .roofs = roofs});
}

}  // namespace tilemeter
