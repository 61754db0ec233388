#include "tools/roofline/bound.hpp"

#include "model/quantity.hpp"
#include "tools/output/number.hpp"

namespace tilemeter::roofline {
namespace {

/// FLOP/B, or "-" where no byte moves.
SheetCell intensity_cell(Flops flops, Bytes bytes) {
  const auto value = intensity(flops, bytes);
  return value ? real(value, *value < 1 ? 4 : 3) : nothing();
}

double per_second(Count amount, Seconds time) { return static_cast<double>(amount) / time.value; }

SheetCell tera(double per_second_value) {
  return {.value = per_second_value, .text = fixed(per_second_value / 1e12, 3)};
}

/// Bytes above the peak did not all come from device memory, so that no share of it was reached: a note says more.
SheetCell memory_share(double value) {
  return value <= 1 ? share(value) : SheetCell{.value = {}, .text = "above peak"};
}

}  // namespace

std::vector<SheetColumn> bound_columns(const Arguments& arguments) {
  std::vector<SheetColumn> columns = {
      {"math_dtype", "math", ""},
      {"flops", "FLOPs", ""},
      {"hbm_bytes", "bytes", "device memory"},
      {"hbm_intensity_flop_per_byte", "intensity", "FLOP/B"},
      {"hbm_ridge_flop_per_byte", "ridge", "FLOP/B"},
      {"attainable_share_of_peak", "attainable", "of peak"},
      {"peak_bound_seconds", "at peak", "time"},
      {"sustained_bound_seconds", "sustained", "time"},
      {"binding", "bound by", ""},
  };
  if (!measured_time(arguments)) return columns;
  columns.push_back({"measured_seconds", "measured", "time"});
  columns.push_back({"measured_flop_per_second", "reached", "TFLOP/s"});
  columns.push_back({"measured_share_of_peak", "reached", "of peak"});
  columns.push_back({"measured_hbm_bytes_per_second", "reached", "TB/s"});
  columns.push_back({"measured_share_of_hbm", "reached", "of memory"});
  return columns;
}

std::vector<SheetCell> bound_cells(const Rooflines& rooflines, const Cost& cost, const Arguments& arguments) {
  const Roofline& roofline = rooflines.peak;
  const TimeBound peak = time_bound(roofline, cost);
  std::vector<SheetCell> cells = {
      words(std::string(math_name(roofline.math))),
      count(cost.flops.value()),
      count(cost.hbm.value()),
      intensity_cell(cost.flops, cost.hbm),
      real(roofline.ridge(MemoryLevel::hbm), 2),
      share(attainable_share(roofline, cost)),
      time(peak.seconds),
      time(rooflines.sustained ? time_bound(*rooflines.sustained, cost).seconds : std::nullopt),
      words(std::string(name_of(peak.binding))),
  };
  const auto measured = measured_time(arguments);
  if (!measured) return cells;
  const double flops = per_second(cost.flops.value(), *measured);
  const double bytes = per_second(cost.hbm.value(), *measured);
  cells.push_back(time(measured));
  cells.push_back(tera(flops));
  cells.push_back(roofline.peak ? share(flops / roofline.peak->value) : unknown());
  cells.push_back(tera(bytes));
  cells.push_back(memory_share(bytes / roofline.roof(MemoryLevel::hbm)->bandwidth.value));
  return cells;
}

std::vector<std::string> measured_notes(const std::string& what, const Rooflines& rooflines, const Cost& cost,
                                        const Arguments& arguments) {
  const auto measured = measured_time(arguments);
  if (!measured) return {};
  const BytesPerSecond peak = rooflines.peak.roof(MemoryLevel::hbm)->bandwidth;
  const BytesPerSecond reached{per_second(cost.hbm.value(), *measured)};
  if (reached <= peak) return {};
  return {what + ": " + to_text(reached) + " is above the " + to_text(peak) +
          " of device memory: part of these bytes came from the L2, or the time or the bytes are wrong"};
}

std::vector<std::string> measured_failures(const std::string& what, const Rooflines& rooflines, const Cost& cost,
                                           const Arguments& arguments) {
  const auto measured = measured_time(arguments);
  if (!measured || !rooflines.peak.peak) return {};
  const OpsPerSecond reached{per_second(cost.flops.value(), *measured)};
  if (reached <= *rooflines.peak.peak) return {};
  return {"--time " + to_text(*measured) + ": " + what + " would reach " + flops_text(reached) +
          ", above the peak of " + flops_text(*rooflines.peak.peak) +
          ": the time, the FLOPs or the layout of the sizes is wrong"};
}

}  // namespace tilemeter::roofline
