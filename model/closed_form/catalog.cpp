#include "model/closed_form/catalog.hpp"

#include <array>

#include "model/closed_form/chunked.hpp"
#include "model/closed_form/flash1.hpp"
#include "model/closed_form/flash2.hpp"
#include "model/closed_form/linear_attention.hpp"
#include "model/closed_form/materialised.hpp"
#include "model/closed_form/standard.hpp"
#include "model/closed_form/standard_tiled.hpp"
#include "model/closed_form/standard_unfused.hpp"

namespace tilemeter {
namespace {

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
