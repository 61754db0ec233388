// Tokens from which a pass over a weight matrix is bound by arithmetic.
#include "model/critical_batch.hpp"

#include "model/quantity.hpp"
#include "tools/options/text.hpp"
#include "tools/roofline/options.hpp"
#include "tools/roofline/views.hpp"

namespace tilemeter::roofline {
namespace {

const std::vector<SheetColumn> critical_batch_columns = {
    {"device", "device", ""},
    {"weight_format", "weights", ""},
    {"weight_bytes_each", "a weight", "bytes"},
    {"math_dtype", "math", ""},
    {"peak_flop_per_second", "peak", "FLOP/s"},
    {"critical_batch_tokens", "critical batch", "tokens"},
    {"with_activations_tokens", "with activations", "tokens"},
    {"sustained_tokens", "sustained", "tokens"},
};

/// Sizes of the layer whose activations are counted too; absent without --d-in.
std::optional<WeightLayer> layer_of(const Arguments& arguments) {
  if (!arguments.has("--d-in") && !arguments.has("--d-out")) {
    if (const auto type = arguments.find("--activation-dtype")) {
      throw InputError("--activation-dtype " + *type + " needs --d-in N and --d-out N");
    }
    return std::nullopt;
  }
  WeightLayer layer;
  layer.d_in = count_of(arguments, "--d-in", 1, std::nullopt, "--critical-batch with --d-out");
  layer.d_out = count_of(arguments, "--d-out", 1, std::nullopt, "--critical-batch with --d-in");
  layer.activation_bytes =
      number_format("--activation-dtype", arguments.find("--activation-dtype").value_or("bf16")).bytes_per_element();
  return layer;
}

/// The batch with activations, and a word where there is none: any batch stays bound by memory.
SheetCell layered(const Roofline& roofline, std::optional<WeightLayer> layer, double weight_bytes) {
  if (!layer) return nothing();
  if (!roofline.peak) return unknown();
  layer->weight_bytes = weight_bytes;
  const auto batch = critical_batch(*roofline.peak, roofline.roof(MemoryLevel::hbm)->bandwidth, *layer);
  return batch ? real(batch, 2) : words("never");
}

SheetCell plain(const std::optional<Roofline>& roofline, double weight_bytes) {
  if (!roofline || !roofline->peak) return unknown();
  return real(critical_batch(*roofline->peak, roofline->roof(MemoryLevel::hbm)->bandwidth, weight_bytes), 2);
}

std::vector<SheetCell> row_of(const Device& device, const NumberFormat& weights, const Arguments& arguments) {
  const Rooflines rooflines = rooflines_of(device, math_type_of(arguments, DType::bf16), arguments);
  const double bytes = weights.bytes_per_element();
  const auto& peak = rooflines.peak.peak;
  return {words(device.name),
          words(format_text(weights)),
          real(bytes, 6),
          words(std::string(math_name(rooflines.peak.math))),
          peak ? SheetCell{.value = peak->value, .text = flops_text(*peak)} : unknown(),
          plain(rooflines.peak, bytes),
          layered(rooflines.peak, layer_of(arguments), bytes),
          plain(rooflines.sustained, bytes)};
}

}  // namespace

Result critical_batches(const Arguments& arguments) {
  Result result;
  result.devices = devices_of(arguments, NoDevice::refused);
  result.sheet.title = "Critical batch: tokens of one pass from which arithmetic takes longer than reading the weights";
  result.sheet.columns = critical_batch_columns;
  for (const Device& device : result.devices) {
    for (const NumberFormat& weights : formats_of(arguments, "--weight-dtype", "bf16")) {
      result.sheet.rows.push_back(row_of(device, weights, arguments));
    }
  }
  result.sheet.notes = {
      "P b / (2 W): 2 FLOP for each weight and token, b bytes a weight read once; counted in tokens, not sequences",
      "with activations: 1/B = 1/B* - (b_a / b)(1/d_in + 1/d_out); \"never\" where that is not positive: at every "
      "batch "
      "memory bounds. Give --d-in and --d-out",
      "sustained: device memory at hbm.sustained of the device file, or --sustained, activations left out"};
  return result;
}

}  // namespace tilemeter::roofline
