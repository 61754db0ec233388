// What fusing elementwise operations saves, and the softmax by number of passes.
#include "model/fusion.hpp"

#include "tools/options/text.hpp"
#include "tools/output/number.hpp"
#include "tools/roofline/bound.hpp"
#include "tools/roofline/views.hpp"

namespace tilemeter::roofline {
namespace {

constexpr Count default_ops = 3;
constexpr std::string_view fusion_view = "--fusion";

Chain chain_of(const Arguments& arguments) {
  Chain chain;
  chain.length = count_of(arguments, "--length", 1, std::nullopt, fusion_view);
  const Count ops = count_of(arguments, "--ops", 1, default_ops);
  if (ops > 1'000'000) throw InputError("--ops " + std::to_string(ops) + ": expected 1 to 1000000");
  chain.side.resize(static_cast<std::size_t>(ops));
  const auto given = arguments.find("--side-elements");
  if (!given) return chain;
  const auto sizes = split(*given, ',');
  if (sizes.size() != chain.side.size()) {
    throw InputError("--side-elements " + *given + ": expected " + std::to_string(ops) +
                     " sizes, one for each of --ops, 0 where an operation has no other input");
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) chain.side[i] = parse_count("--side-elements", sizes[i], 0);
  return chain;
}

/// One kernel, or a chain of them: what it is called, moves, and computes.
struct Step {
  std::string name;
  Moved moved;
  Count flops = 0;
};

std::vector<Step> steps_of(const Chain& chain) {
  const Count flops = named("the FLOPs of the chain",
                            [&] { return checked::multiply(static_cast<Count>(chain.side.size()), chain.length); });
  std::vector<Step> steps = {{"chain, a kernel an operation", unfused(chain), flops},
                             {"chain, fused", fused(chain), flops}};
  for (const Variant variant : softmax_variants) {
    steps.push_back({"softmax, " + std::string(softmax_label(variant)), softmax_moves(variant, chain.length),
                     named("the FLOPs of the softmax",
                           [&] { return checked::multiply(softmax_flops_per_element, chain.length); })});
  }
  return steps;
}

std::vector<SheetCell> row_of(const Device& device, const Step& step, DType type, const Arguments& arguments) {
  const Rooflines rooflines = rooflines_of(device, math_type_of(arguments, type), arguments);
  const Cost cost{.flops = Flops(step.flops),
                  .hbm = named("the bytes of the chain", [&] { return bytes_of(step.moved.total(), type); })};
  return chained(
      {words(device.name), words(step.name), count(step.moved.read.value()), count(step.moved.write.value())},
      bound_cells(rooflines, cost, arguments));
}

}  // namespace

Result fusion(const Arguments& arguments) {
  const Chain chain = chain_of(arguments);
  const DType type = operand_type_of(arguments, "--dtype", DType::bf16);
  Result result;
  result.devices = devices_of(arguments, NoDevice::refused);
  result.sheet.title = "Fusion: " + std::to_string(chain.side.size()) + " elementwise operations on " +
                       with_separators(chain.length) + " elements, and a softmax over as many";
  result.sheet.columns =
      chained({SheetColumn{"device", "device", ""}, SheetColumn{"kernel", "kernel", ""},
               SheetColumn{"read_elements", "read", "elements"}, SheetColumn{"write_elements", "write", "elements"}},
              bound_columns(arguments));
  for (const Device& device : result.devices) {
    for (const Step& step : steps_of(chain)) result.sheet.rows.push_back(row_of(device, step, type, arguments));
  }
  const double saved =
      static_cast<double>(unfused(chain).total().value()) / static_cast<double>(fused(chain).total().value());
  result.sheet.notes = {
      "fused, the chain moves " + fixed(saved, 3) +
          " times less; that is the number of operations only without side inputs (--side-elements)",
      "FLOPs: one an element and operation; " + std::to_string(softmax_flops_per_element) +
          " an element of the softmax (assumed: subtract, exp, sum, divide, maximum). The peak is that of the matrix "
          "units, which none of this can use: the share is what memory leaves of it"};
  result.sheet.notes = chained(std::move(result.sheet.notes), bound_notes(result.devices, arguments));
  return result;
}

}  // namespace tilemeter::roofline
