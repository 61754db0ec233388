// Elementwise kernels and softmax: what they move, and what memory leaves of the peak.
#include "model/fusion.hpp"
#include "model/roofline.hpp"
#include "tools/tables/all.hpp"
#include "tools/tables/judge.hpp"

namespace tilemeter::tables {
namespace {

constexpr Count length = 1 << 20;

struct Kernel {
  std::string name;
  Moved moved;
  Count flops = 0;
  const char* device = "h100-sxm";
  const char* accesses = "";   ///< printed loads and stores an element
  const char* intensity = "";  ///< printed FLOP/B
  const char* share = "";      ///< printed per cent of the peak
};

std::vector<Kernel> kernels() {
  const Chain add{.length = length, .side = {length}};
  const Chain three{.length = length, .side = {0, 0, 0}};
  const Chain with_bias{.length = length, .side = {length, 0, 0}};
  std::vector<Kernel> all = {
      {"vector addition", unfused(add), length, "h100-sxm", "3", "0.1667", "0.056"},
      {"3 operations, unfused", unfused(three), 3 * length, "h100-sxm", "6", "", ""},
      {"3 operations, fused", fused(three), 3 * length, "h100-sxm", "2", "", ""},
      {"3 operations, one with a second input, unfused", unfused(with_bias), 3 * length, "h100-sxm", "7", "", ""},
      {"3 operations, one with a second input, fused", fused(with_bias), 3 * length, "h100-sxm", "3", "", ""},
  };
  const char* accesses[] = {"3", "4", "3", "2"};
  for (std::size_t i = 0; i < softmax_variants.size(); ++i) {
    const Variant variant = softmax_variants[i];
    const bool resident = variant == Variant::resident;
    all.push_back({"softmax, " + std::string(softmax_label(variant)), softmax_moves(variant, length),
                   softmax_flops_per_element * length, "a100-80gb", accesses[i], resident ? "1.25" : "",
                   resident ? "0.82" : ""});
  }
  return all;
}

void add_row(Table& table, const Kernel& kernel) {
  const Roofline roofline = roofline_of(load_device(kernel.device), DType::bf16);
  const Cost cost{.flops = Flops(kernel.flops), .hbm = bytes_of(kernel.moved.total(), DType::bf16)};
  const double accesses = static_cast<double>(kernel.moved.total().value()) / length;
  const double flop_per_byte = intensity(cost.flops, cost.hbm).value();
  const double share = 100 * attainable_share(roofline, cost).value();
  Judge judge(table, kernel.name);
  judge.rounds("accesses", accesses, Printed(kernel.accesses));
  if (*kernel.intensity != '\0') judge.rounds("intensity", flop_per_byte, Printed(kernel.intensity));
  if (*kernel.share != '\0') judge.rounds("share", share, Printed(kernel.share));
  const auto printed = [](const char* digits) { return *digits == '\0' ? Cell() : Printed(digits).cell(); };
  table.rows.push_back({kernel.name, Decimal{accesses, 0}, printed(kernel.accesses), Decimal{flop_per_byte, 4},
                        printed(kernel.intensity), std::string(kernel.device), Decimal{share, 3}, printed(kernel.share),
                        judge.verdict()});
}

}  // namespace

Table elementwise() {
  Table table;
  table.columns = {{"kernel", ""},          {"accesses", "an element"},   {"accesses ref.", "an element"},
                   {"intensity", "FLOP/B"}, {"intensity ref.", "FLOP/B"}, {"device", ""},
                   {"of peak", "%"},        {"of peak ref.", "%"},        {"verdict", ""}};
  for (const Kernel& kernel : kernels()) add_row(table, kernel);
  table.notes = {"bf16; one FLOP an element and operation, 5 an element of a softmax (assumed)",
                 "fusing k operations saves a factor k only without second inputs: 6 / 2, but 7 / 3",
                 "safe against online softmax: 4 / 3 accesses (Milakov and Gimelshein, 2018)"};
  return table;
}

}  // namespace tilemeter::tables
