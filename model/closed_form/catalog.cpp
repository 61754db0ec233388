#include "model/closed_form/catalog.hpp"

#include <array>

#include "model/closed_form/elementwise.hpp"
#include "model/closed_form/flash1.hpp"
#include "model/closed_form/flash2.hpp"
#include "model/closed_form/gemm.hpp"
#include "model/closed_form/softmax.hpp"
#include "model/closed_form/standard.hpp"
#include "model/closed_form/standard_tiled.hpp"
#include "model/closed_form/standard_unfused.hpp"
#include "model/closed_form/weight_layer.hpp"

namespace tilemeter {
namespace {

constexpr std::array softmax_variants = {Variant::safe, Variant::online, Variant::naive, Variant::resident};
constexpr std::array elementwise_variants = {Variant::unfused, Variant::fused};

const std::array table = {
    Formula{.name = "standard",
            .refusal = refuse_nothing,
            .bill = standard_bill,
            .expression = standard_expression,
            .tiles = no_tiles},
    Formula{.name = "standard_tiled",
            .order = LoopOrder::gemm,
            .refusal = refuse_nothing,
            .bill = standard_tiled_bill,
            .expression = standard_tiled_expression,
            .tiles = standard_tiled_tiles},
    Formula{.name = "standard_unfused",
            .refusal = refuse_nothing,
            .bill = standard_unfused_bill,
            .expression = standard_unfused_expression,
            .tiles = no_tiles},
    Formula{.name = "flash1",
            .order = LoopOrder::kv_outer,
            .coverage = Coverage::visited_tiles,
            .output = OutputType::read_back,
            .refusal = refuse_arbitrary_mask,
            .bill = flash1_bill,
            .expression = flash1_expression,
            .tiles = flash1_tiles},
    Formula{.name = "flash2",
            .order = LoopOrder::q_outer,
            .coverage = Coverage::visited_tiles,
            .refusal = refuse_arbitrary_mask,
            .bill = flash2_bill,
            .expression = flash2_expression,
            .tiles = flash2_tiles},
    Formula{.name = "gemm",
            .computation = Computation::gemm,
            .order = LoopOrder::product,
            .refusal = refuse_nothing,
            .bill = gemm_bill,
            .expression = gemm_expression,
            .tiles = gemm_tiles},
    Formula{.name = "weight_layer",
            .computation = Computation::layer,
            .order = LoopOrder::product,
            .refusal = refuse_weight_groups,
            .bill = weight_layer_bill,
            .expression = weight_layer_expression,
            .tiles = weight_layer_tiles},
    Formula{.name = "softmax",
            .computation = Computation::softmax,
            .order = LoopOrder::pieces,
            .variants = softmax_variants,
            .refusal = refuse_nothing,
            .bill = softmax_bill,
            .expression = softmax_expression,
            .tiles = softmax_tiles},
    Formula{.name = "elementwise",
            .computation = Computation::chain,
            .order = LoopOrder::pieces,
            .variants = elementwise_variants,
            .refusal = refuse_side_inputs,
            .bill = elementwise_bill,
            .expression = elementwise_expression,
            .tiles = elementwise_tiles},
};

}  // namespace

std::span<const Formula> formulas() { return table; }

const Formula& formula_of(std::string_view algorithm) {
  std::string known;
  for (const Formula& formula : table) {
    if (formula.name == algorithm) return formula;
    known.append(known.empty() ? "" : ", ").append(formula.name);
  }
  throw InputError("--algorithm " + std::string(algorithm) + ": unknown; choose from " + known);
}

Work closed_form(std::string_view algorithm, const Case& point) {
  const Formula& formula = formula_of(algorithm);
  const Case complete = accepted(formula, point);
  return named("the visited tiles of a stream", [&] { return formula.bill(complete); });
}

std::string expression_of(std::string_view algorithm, const Case& point) {
  const Formula& formula = formula_of(algorithm);
  return formula.expression(accepted(formula, point));
}

}  // namespace tilemeter
