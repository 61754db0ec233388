#include "model/closed_form/catalog.hpp"

#include <array>

#include "model/closed_form/chunked.hpp"
#include "model/closed_form/elementwise.hpp"
#include "model/closed_form/flash1.hpp"
#include "model/closed_form/flash1_backward.hpp"
#include "model/closed_form/flash2.hpp"
#include "model/closed_form/flash2_backward.hpp"
#include "model/closed_form/flash3.hpp"
#include "model/closed_form/gemm.hpp"
#include "model/closed_form/linear_attention.hpp"
#include "model/closed_form/materialised.hpp"
#include "model/closed_form/softmax.hpp"
#include "model/closed_form/split_kv.hpp"
#include "model/closed_form/standard.hpp"
#include "model/closed_form/standard_backward.hpp"
#include "model/closed_form/standard_tiled.hpp"
#include "model/closed_form/standard_unfused.hpp"
#include "model/closed_form/weight_layer.hpp"
#include "model/closed_form/zigzag.hpp"

namespace tilemeter {
namespace {

constexpr std::array flash2_backward_variants = {Variant::atomics, Variant::two_kernels};
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
    Formula{.name = "standard_backward",
            .computation = Computation::gradients,
            .refusal = refuse_nothing,
            .bill = standard_backward_bill,
            .expression = standard_backward_expression,
            .tiles = no_tiles},
    Formula{.name = "flash1_backward",
            .computation = Computation::gradients,
            .order = LoopOrder::kv_outer,
            .coverage = Coverage::visited_tiles,
            .output = OutputType::read_back,
            .refusal = refuse_arbitrary_mask,
            .bill = flash1_backward_bill,
            .expression = flash1_backward_expression,
            .tiles = flash1_backward_tiles},
    Formula{.name = "flash2_backward",
            .computation = Computation::gradients,
            .order = LoopOrder::kv_outer,
            .coverage = Coverage::visited_tiles,
            .variants = flash2_backward_variants,
            .refusal = refuse_arbitrary_mask,
            .bill = flash2_backward_bill,
            .expression = flash2_backward_expression,
            .tiles = flash2_backward_tiles},
    Formula{.name = "flash3",
            .order = LoopOrder::q_outer,
            .coverage = Coverage::visited_tiles,
            .stages = 2,
            .refusal = refuse_arbitrary_mask,
            .bill = flash2_bill,
            .expression = flash2_expression,
            .tiles = flash3_tiles},
    Formula{.name = "split_kv",
            .order = LoopOrder::q_outer,
            .coverage = Coverage::visited_tiles,
            .refusal = refuse_either<refuse_arbitrary_mask, refuse_uneven_pages>,
            .bill = split_kv_bill,
            .expression = split_kv_expression,
            .tiles = split_kv_tiles},
    Formula{.name = "zigzag",
            .order = LoopOrder::q_outer,
            .coverage = Coverage::visited_tiles,
            .refusal = refuse_arbitrary_mask,
            .bill = zigzag_bill,
            .expression = zigzag_expression,
            .tiles = zigzag_tiles},
    Formula{.name = "chunked",
            .order = LoopOrder::chunks,
            .variants = chunked_variants,
            .refusal = refuse_packing,
            .bill = chunked_bill,
            .expression = chunked_expression,
            .tiles = chunked_tiles,
            .workspace = chunked_workspace},
    Formula{.name = "materialised",
            .order = LoopOrder::outer_product,
            .refusal = refuse_nothing,
            .bill = materialised_bill,
            .expression = materialised_expression,
            .tiles = materialised_tiles},
    Formula{.name = "linear_attention",
            .computation = Computation::linear_attention,
            .order = LoopOrder::recurrent,
            .variants = linear_attention_variants,
            .refusal = refuse_linear_attention,
            .bill = linear_attention_bill,
            .expression = linear_attention_expression,
            .tiles = linear_attention_tiles,
            .default_variant = linear_attention_variant},
    Formula{.name = "gemm",
            .computation = Computation::gemm,
            .order = LoopOrder::product,
            .refusal = refuse_gemm,
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

std::optional<Workspace> workspace_of(std::string_view algorithm, const Case& point) {
  const Formula& formula = formula_of(algorithm);
  if (formula.workspace == nullptr) return std::nullopt;
  const Case complete = accepted(formula, point);
  return named("the workspace", [&] { return formula.workspace(complete); });
}

std::string expression_of(std::string_view algorithm, const Case& point) {
  const Formula& formula = formula_of(algorithm);
  return formula.expression(accepted(formula, point));
}

}  // namespace tilemeter
