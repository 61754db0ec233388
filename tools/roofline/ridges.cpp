// Peaks, bandwidths, ridges and critical batches of devices.
#include "model/critical_batch.hpp"
#include "model/quantity.hpp"
#include "tools/options/text.hpp"
#include "tools/options/types.hpp"
#include "tools/roofline/options.hpp"
#include "tools/roofline/views.hpp"

namespace tilemeter::roofline {
namespace {

const std::vector<SheetColumn> ridges_columns = {
    {"device", "device", ""},
    {"math_dtype", "math", ""},
    {"peak_flop_per_second", "peak", "FLOP/s"},
    {"peak_unit", "unit", ""},
    {"hbm_bytes_per_second", "memory", "decimal"},
    {"hbm_binary", "memory", "binary"},
    {"hbm_ridge_flop_per_byte", "ridge", "FLOP/B"},
    {"hbm_sustained_share", "sustained", "of memory"},
    {"sustained_ridge_flop_per_byte", "ridge", "sustained"},
    {"l2_bytes_per_second", "L2", "decimal"},
    {"l2_ridge_flop_per_byte", "ridge", "of the L2"},
    {"critical_batch_tokens", "critical batch", "tokens"},
};

SheetCell rate_cell(std::optional<OpsPerSecond> rate) {
  return rate ? SheetCell{.value = rate->value, .text = flops_text(*rate)} : unknown();
}

SheetCell bandwidth_cell(std::optional<BytesPerSecond> rate) {
  return rate ? SheetCell{.value = rate->value, .text = to_text(*rate)} : unknown();
}

/// Weights stored in the type of the arithmetic.
std::optional<double> own_critical_batch(const Roofline& roofline) {
  if (!roofline.peak) return std::nullopt;
  return critical_batch(*roofline.peak, roofline.roof(MemoryLevel::hbm)->bandwidth,
                        static_cast<double>(size_of(roofline.math)));
}

std::vector<SheetCell> row_of(const Device& device, DType math, const Arguments& arguments) {
  const Rooflines rooflines = rooflines_of(device, math, arguments);
  const Roofline& roofline = rooflines.peak;
  return {words(device.name),
          words(std::string(math_name(math))),
          rate_cell(roofline.peak),
          roofline.unit ? words(std::string(name_of(*roofline.unit))) : unknown(),
          bandwidth_cell(device.hbm.bandwidth),
          words(binary_text(device.hbm.bandwidth)),
          real(roofline.ridge(MemoryLevel::hbm), 2),
          share(rooflines.share),
          real(rooflines.sustained ? rooflines.sustained->ridge(MemoryLevel::hbm) : std::nullopt, 2),
          bandwidth_cell(device.l2.bandwidth),
          real(roofline.ridge(MemoryLevel::l2), 2),
          real(own_critical_batch(roofline), 2)};
}

/// The types asked for, else bf16 for a list of devices and every type for chosen ones.
std::vector<DType> types_of(const Arguments& arguments) {
  if (const auto given = arguments.find("--dtype")) return parse_choices("--dtype", *given, operand_types);
  if (!arguments.has("--device")) return {DType::bf16};
  return {math_types.begin(), math_types.end()};
}

}  // namespace

Result ridges(const Arguments& arguments) {
  Result result;
  result.devices = devices_of(arguments, NoDevice::all);
  result.sheet.title = "Rooflines: the ridge is the intensity from which memory no longer bounds";
  result.sheet.columns = ridges_columns;
  for (const Device& device : result.devices) {
    for (const DType math : types_of(arguments)) result.sheet.rows.push_back(row_of(device, math, arguments));
  }
  result.sheet.notes = {
      "peak: dense, from the device file (`tilemeter devices show`); of the matrix unit, else of the scalar fma pipe",
      "critical batch: P b / (2 W) with weights in the type of the arithmetic; --critical-batch has other formats",
      "sustained: hbm.sustained of the device file, or --sustained"};
  return result;
}

}  // namespace tilemeter::roofline
