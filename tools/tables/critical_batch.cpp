// Critical batches of H100 and A100, with the rounded rates of the literature and with those of the device files.
#include "model/critical_batch.hpp"

#include <optional>

#include "model/device.hpp"
#include "model/number_format.hpp"
#include "tools/tables/all.hpp"
#include "tools/tables/judge.hpp"

namespace tilemeter::tables {
namespace {

/// Rates as the literature rounds them: dense bf16 and int8 of an H100, bf16 of an A100.
constexpr OpsPerSecond rounded_h100{989e12};
constexpr OpsPerSecond rounded_h100_int8{1979e12};
constexpr BytesPerSecond h100_memory{3.35e12};

/// One row: a rate and a bandwidth as printed, the device whose file states them exactly, and the layer.
struct Row {
  const char* what;
  OpsPerSecond peak;
  BytesPerSecond memory;
  const char* device;
  DType math;
  WeightLayer layer;      ///< d_in 0: activations left out
  const char* reference;  ///< empty: no batch at all
};

double int4_in_groups() {
  const NumberFormat int4{.name = "int4", .bits = 4, .grouping = Grouping{.size = 128, .scale_bits = 16}};
  return int4.bytes_per_element();
}

std::optional<double> batch(OpsPerSecond peak, BytesPerSecond memory, const WeightLayer& layer) {
  if (layer.d_in == 0) return critical_batch(peak, memory, layer.weight_bytes);
  return critical_batch(peak, memory, layer);
}

Cell batch_cell(std::optional<double> tokens) {
  return tokens ? Cell(Decimal{*tokens, 2}) : Cell(std::string("never"));
}

std::vector<Row> rows() {
  const OpsPerSecond a100{312e12};
  const WeightLayer bf16{.weight_bytes = 2}, int8{.weight_bytes = 1}, int4{.weight_bytes = int4_in_groups()};
  return {
      {"H100, bf16", rounded_h100, h100_memory, "h100-sxm", DType::bf16, bf16, "295.22"},
      {"H100, int8 weights, bf16 arithmetic", rounded_h100, h100_memory, "h100-sxm", DType::bf16, int8, "147.61"},
      {"H100, int8 weights and arithmetic", rounded_h100_int8, h100_memory, "h100-sxm", DType::u8, int8, "295.37"},
      {"H100, int4 in groups of 128, fp16 scales, bf16 arithmetic", rounded_h100, h100_memory, "h100-sxm", DType::bf16,
       int4, "76.11"},
      {"A100, bf16, 2.039 TB/s", a100, {2.039e12}, "a100-80gb", DType::bf16, bf16, "153.02"},
      {"A100, bf16, 2.04 TB/s", a100, {2.04e12}, "a100-80gb", DType::bf16, bf16, "152.94"},
      {"H100, 4096 x 4096 bf16, with activations",
       rounded_h100,
       h100_memory,
       "h100-sxm",
       DType::bf16,
       {4096, 4096, 2, 2},
       "344.95"},
      {"H100, 4096 x 4096 int8, with bf16 activations",
       rounded_h100,
       h100_memory,
       "h100-sxm",
       DType::bf16,
       {4096, 4096, 1, 2},
       "172.48"},
      {"H100, 512 x 512 bf16, with activations",
       rounded_h100,
       h100_memory,
       "h100-sxm",
       DType::bf16,
       {512, 512, 2, 2},
       ""},
  };
}

void add_row(Table& table, const Row& row) {
  const Device device = load_device(row.device);
  const auto rounded = batch(row.peak, row.memory, row.layer);
  const auto exact = batch(device.require_rate(ComputeUnit::tensor, row.math), device.hbm.bandwidth, row.layer);
  Judge judge(table, row.what);
  const std::string reference = row.reference;
  if (reference.empty()) {
    judge.equal("batches", rounded ? 1 : 0, 0);
  } else if (reference == "172.48") {
    judge.off("batch", *rounded, Printed(reference), "half of 344.95 rounded; half of 344.949 is 172.47");
  } else {
    judge.rounds("batch", *rounded, Printed(reference));
  }
  table.rows.push_back({row.what, batch_cell(rounded),
                        reference.empty() ? Cell(std::string("never")) : Printed(reference).cell(), batch_cell(exact),
                        judge.verdict()});
}

}  // namespace

Table critical_batch_table() {
  Table table;
  table.columns = {{"case", ""},
                   {"rounded rates", "tokens"},
                   {"rounded rates ref.", "tokens"},
                   {"device file", "tokens"},
                   {"verdict", ""}};
  for (const Row& row : rows()) add_row(table, row);
  table.notes = {
      "P b / (2 W); with activations 1/B = 1/B* - (b_a / b)(1/d_in + 1/d_out), \"never\" where that is not positive",
      "rounded rates: 989 and 1979 TFLOP/s. The white paper states 989.4 and 1978.9, which the device file holds: "
      "295.34 "
      "and 295.36 instead of 295.22 and 295.37. The formula is the same"};
  return table;
}

}  // namespace tilemeter::tables
