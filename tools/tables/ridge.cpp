// Ridges of GPUs: dense peak over memory bandwidth.
#include "model/roofline.hpp"
#include "tools/tables/all.hpp"
#include "tools/tables/judge.hpp"

namespace tilemeter::tables {
namespace {

struct Row {
  const char* device;
  DType math;
  const char* peak;    ///< printed dense TFLOP/s
  const char* memory;  ///< printed TB/s
  const char* ridge;   ///< printed FLOP/B
};

constexpr Row printed[] = {
    {"a100-80gb", DType::bf16, "312", "2.039", "153"},
    {"h100-sxm", DType::bf16, "989.4", "3.35", "295"},
    {"h100-pcie", DType::bf16, "756.5", "2.0", ""},
    {"h100-nvl", DType::bf16, "835.5", "3.9", ""},
    {"h200", DType::bf16, "989.4", "4.8", "206"},
    {"h20", DType::fp16, "148", "4", "37"},
    {"b200", DType::bf16, "", "7.672", ""},
};

Cell cell(const char* digits) { return *digits == '\0' ? Cell() : Printed(digits).cell(); }

void add_row(Table& table, const Row& row) {
  const Device device = load_device(row.device);
  const Roofline roofline = roofline_of(device, row.math);
  const double peak = roofline.peak.value().value / 1e12;
  const double memory = device.hbm.bandwidth.value / 1e12;
  const double ridge = roofline.ridge(MemoryLevel::hbm).value();
  const auto l2 = roofline.ridge(MemoryLevel::l2);
  Judge judge(table, row.device);
  if (*row.peak != '\0') judge.rounds("peak", peak, Printed(row.peak));
  judge.rounds("memory", memory, Printed(row.memory));
  if (*row.ridge != '\0') judge.rounds("ridge", ridge, Printed(row.ridge));
  table.rows.push_back({std::string(row.device), std::string(name_of(row.math)), Decimal{peak, 1}, cell(row.peak),
                        Decimal{memory, 3}, cell(row.memory), Decimal{memory * 1e12 / 0x1p40, 3}, Decimal{ridge, 2},
                        cell(row.ridge), l2 ? Cell(Decimal{*l2, 2}) : Cell(std::string("unknown")), judge.verdict()});
}

}  // namespace

Table ridge() {
  Table table;
  table.columns = {{"device", ""},           {"type", ""},        {"peak", "TFLOP/s"},
                   {"peak ref.", "TFLOP/s"}, {"memory", "TB/s"},  {"memory ref.", "TB/s"},
                   {"memory", "TiB/s"},      {"ridge", "FLOP/B"}, {"ridge ref.", "FLOP/B"},
                   {"ridge, L2", "FLOP/B"},  {"verdict", ""}};
  for (const Row& row : printed) add_row(table, row);
  table.notes = {"dense rates; data sheets of Hopper print twice as much, with 2:4 sparsity",
                 "b200: 7680 bit x 3996 MHz x 2 / 8 = 7.672 TB/s, where the data sheet prints up to 8"};
  return table;
}

}  // namespace tilemeter::tables
