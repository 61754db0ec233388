#include "model/closed_form/formula.hpp"

#include <algorithm>

namespace tilemeter {
namespace {

void validate(const Options& options) {
  require_at_least(options.row_splits, 1, "--row-splits");
  require_at_least(options.splits.value_or(1), 1, "--splits");
  require_at_least(options.split_slots, 1, "the number of blocks that run at once");
  require_at_least(options.page_size, 0, "--page-size");
  require_at_least(options.group_size, 0, "--group-size");
  require_at_least(options.ops, 1, "--ops");
  require_at_least(options.side_inputs, 0, "--side-inputs");
  require_at_least(options.chunk, 1, "--chunk");
}

void validate(const Shapes& shapes) {
  require_at_least(shapes.m, 1, "--m");
  require_at_least(shapes.n, 1, "--n");
  require_at_least(shapes.k, 1, "--k");
  require_at_least(shapes.tokens, 1, "--tokens");
  require_at_least(shapes.d_in, 1, "--d-in");
  require_at_least(shapes.d_out, 1, "--d-out");
  require_at_least(shapes.rows, 1, "--rows");
  require_at_least(shapes.cols, 1, "--cols");
  require_at_least(shapes.length, 1, "--length");
}

std::string list_of(std::span<const Variant> variants) {
  std::string names;
  for (const Variant variant : variants) names.append(names.empty() ? "" : ", ").append(name_of(variant));
  return names;
}

void choose_variant(const Formula& formula, Case& point) {
  std::optional<Variant>& variant = point.options.variant;
  if (!variant) {
    if (formula.default_variant != nullptr) {
      variant = formula.default_variant(point);
    } else if (!formula.variants.empty()) {
      variant = formula.variants.front();
    }
    return;
  }
  if (std::ranges::find(formula.variants, *variant) != formula.variants.end()) return;
  const std::string name(formula.name);
  throw InputError("--variant " + std::string(name_of(*variant)) + ": " +
                   (formula.variants.empty() ? name + " has no variants"
                                             : "the variants of " + name + " are " + list_of(formula.variants)));
}

}  // namespace

std::string refuse_nothing(std::string_view, const Case&) { return ""; }

std::string refuse_arbitrary_mask(std::string_view name, const Case& point) {
  if (point.problem.mask.kind != MaskKind::arbitrary) return "";
  return "--mask arbitrary: " + std::string(name) + " takes the masks none, causal, causal_top_left and window";
}

std::string refuse_masks(std::string_view name, const Case& point) {
  if (point.problem.mask.kind == MaskKind::none) return "";
  return "--mask " + std::string(name_of(point.problem.mask.kind)) + ": " + std::string(name) + " takes no mask";
}

std::string refuse_packing(std::string_view name, const Case& point) {
  if (point.problem.packing == Packing::unpacked) return "";
  return "--packed: " + std::string(name) + " does not pack the query heads of a K/V head";
}

std::vector<KernelTiles> no_tiles(const Case&) { return {}; }

Case accepted(const Formula& formula, const Case& point) {
  validate(point.problem);
  validate(point.tiling);
  validate(point.options);
  validate(point.shapes);
  Case complete = point;
  choose_variant(formula, complete);
  const std::string reason = formula.refusal(formula.name, complete);
  if (!reason.empty()) throw InputError(reason);
  return complete;
}

}  // namespace tilemeter
