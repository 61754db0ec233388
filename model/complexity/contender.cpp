#include "model/complexity/contender.hpp"

#include "model/closed_form/catalog.hpp"
#include "model/closed_form/standard_at_capacity.hpp"
#include "model/footprint.hpp"
#include "model/gemm_search.hpp"
#include "model/tile_search.hpp"
#include "model/tiling_rule.hpp"

namespace tilemeter::complexity {
namespace {

Budget budget_of(Count capacity) {
  return {.elements = Elements(capacity), .owner = "M = " + std::to_string(capacity) + " elements"};
}

BlockRule rule_of(TileChoice tiles) {
  switch (tiles) {
    case TileChoice::paper:
      return BlockRule::paper;
    case TileChoice::fit:
      return BlockRule::fit;
    case TileChoice::optimum:
      return BlockRule::optimum;
    case TileChoice::untiled:
    case TileChoice::square:
    case TileChoice::panels:
      break;
  }
  return BlockRule::given;
}

Tiling largest_square(std::string_view algorithm, Case point, const Budget& budget) {
  const auto fits = [&](Count size) {
    point.tiling.block_q = point.tiling.block_k = size;
    return overflow_of(algorithm, point, budget) == 0;
  };
  if (!fits(1)) throw InputError(over_capacity_message(algorithm, point, budget, TileGranularity{}));
  const Count size = largest_multiple(1, point.problem.seq_k, fits);
  return {.block_q = size, .block_k = size, .rule = BlockRule::given};
}

/// The optimum of a GEMM is over its orders too.
void set_order(std::string_view algorithm, Case& point) {
  if (formula_of(algorithm).computation == Computation::gemm) point.options.gemm_order = least_traffic_order(point);
}

}  // namespace

std::string_view name_of(TileChoice tiles) {
  switch (tiles) {
    case TileChoice::untiled:
      return "none";
    case TileChoice::paper:
      return "paper";
    case TileChoice::fit:
      return "fit";
    case TileChoice::optimum:
      return "optimum";
    case TileChoice::square:
      return "square";
    case TileChoice::panels:
      return "panels";
  }
  return "";
}

std::string text_of(const Contender& contender) {
  const std::string variant = contender.variant ? " " + std::string(name_of(*contender.variant)) : "";
  return std::string(contender.algorithm) + variant + " (" + std::string(name_of(contender.tiles)) + ")";
}

Case point_of(const Contender& contender, const Scale& scale) {
  Case point;
  point.shapes.m = point.shapes.n = scale.seq;
  point.shapes.k = scale.head_dim;
  point.options.variant = contender.variant;
  point.problem.seq_q = point.problem.seq_k = scale.seq;
  point.problem.head_dim = point.problem.head_dim_v = scale.head_dim;
  if (scale.keys_back) point.problem.mask = {.kind = MaskKind::window, .left = scale.keys_back, .right = 0};
  const Budget budget = budget_of(scale.capacity);
  if (contender.tiles == TileChoice::square) {
    point.tiling = largest_square(contender.algorithm, point, budget);
  } else if (rule_of(contender.tiles) != BlockRule::given) {
    point.tiling = resolve_tiling(contender.algorithm, point, rule_of(contender.tiles), budget, TileGranularity{});
    point.options.row_softmax = resolve_row_softmax(contender.algorithm, point, budget);
    if (contender.tiles == TileChoice::optimum) set_order(contender.algorithm, point);
  }
  return point;
}

Elements on_chip(const Contender& contender, const Case& point) {
  const bool tiled = contender.tiles != TileChoice::untiled && contender.tiles != TileChoice::panels;
  return tiled ? most_elements_on_chip(contender.algorithm, point) : Elements{};
}

Billed bill_of(const Contender& contender, const Scale& scale, const Counting& counting) {
  Billed billed{.point = point_of(contender, scale), .work = {}, .total = {}};
  if (contender.tiles == TileChoice::panels) {
    billed.total = standard_at_capacity(scale.seq, scale.head_dim, Elements(scale.capacity)).total;
  } else {
    billed.work = counting(contender.algorithm, billed.point);
    billed.total = billed.work.total().total();
  }
  return billed;
}

}  // namespace tilemeter::complexity
