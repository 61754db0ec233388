#include "tools/report/check_records.hpp"

namespace tilemeter::report {
namespace {

using Json = Node::Json;

void check_timing(const Node& time) {
  time.text("regime");
  const Node seconds = time.member("seconds");
  if (!seconds.present()) return;
  for (const char* key : {"median", "half_width95", "p5", "p95"}) seconds.number(key);
}

void check_measured(const Node& point) {
  point.text("kernel");
  point.member("problem").require(Json::value_t::object, "the problem of the point is needed");
  point.member("traffic").object_if_present();
  point.each("times", "the times of the point are needed", check_timing);
}

void check_fit(const Node& kernel) {
  kernel.text("kernel");
  for (const char* key : {"mean_error", "most_error"}) kernel.number(key);
  kernel.integers_if_present({"observations"});
  kernel.each("figures", "the fitted figures are needed", [](const Node& figure) {
    for (const char* key : {"key", "unit", "meaning"}) figure.text(key);
    figure.number("value");
  });
  kernel.each("residuals", "the residuals are needed", [](const Node& residual) {
    residual.text("source");
    for (const char* key : {"measured_seconds", "predicted_seconds", "error"}) residual.number(key);
  });
}

void check_occupancy(const Node& point) {
  point.text("device");
  for (const char* key : {"algorithm", "kernel", "layout", "reason"}) point.text_if_present(key);
  point.integers_if_present({"threads", "warps", "resident_blocks", "shared_bytes", "shared_limit_bytes"});
  for (const char* key : {"blocks_by", "occupancy"}) point.member(key).object_if_present();
}

void check_table(const Node& table) {
  for (const char* key : {"name", "title", "source"}) table.text(key);
  const Node columns = table.member("columns");
  table.each("columns", "columns with names and units are needed", [](const Node& column) {
    column.text("name");
    column.text("unit");
  });
  const Node rows = table.member("rows");
  rows.require(Json::value_t::array, "a list of rows is needed");
  for (std::size_t i = 0; i < rows.value().size(); ++i) {
    const Node row = rows.item(i);
    row.require(Json::value_t::array, "a list of cells is needed");
    if (row.value().size() != columns.value().size()) row.refuse("a cell for each column is needed");
    for (std::size_t j = 0; j < row.value().size(); ++j) {
      const bool plain = row.value()[j].is_number() || row.value()[j].is_string() || row.value()[j].is_null();
      if (!plain) row.item(j).refuse("a number, text or null is accepted");
    }
  }
  for (const char* key : {"failures", "notes"}) {
    table.member(key).require(Json::value_t::array, "a list of sentences is needed");
  }
}

/// The bounds of a time by resource, or shares and seconds by cause: objects of numbers.
void check_figures(const Node& owner, const char* key) {
  const Node figures = owner.member(key);
  figures.object_if_present();
  if (!figures.present()) return;
  for (const auto& [name, unused] : figures.value().items()) figures.number(name.c_str());
}

}  // namespace

void check_measurements(const Node& document) {
  document.member("gpu").require(Json::value_t::object, "the GPU that was measured is needed");
  document.each("points", "a list of measured points is needed", check_measured);
}

void check_calibration(const Node& document) {
  document.text("device");
  document.each("kernels", "the fitted kernels are needed", check_fit);
}

void check_occupancies(const Node& document) {
  if (!document.member("points").present()) return check_occupancy(document);
  document.each("points", "a list of occupancies is needed", check_occupancy);
}

void check_tables(const Node& document, const char* key) {
  document.each(key, "tables as tilemeter tables writes them are needed", check_table);
}

void check_time(const Node& point) {
  const Node time = point.member("time");
  if (time.present() && time.value().is_object()) check_figures(time, "bounds");
  check_figures(point, "waits");
  if (!point.member("sms").present()) return;
  point.each("sms", "the SMs of the simulation are needed", [](const Node& sm) {
    for (const char* key : {"index", "resident_seconds", "working_seconds"}) sm.number(key);
    for (const char* key : {"busy_seconds", "wait_seconds"}) check_figures(sm, key);
  });
}

}  // namespace tilemeter::report
