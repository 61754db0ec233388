#include "model/complexity/distance.hpp"

#include "model/closed_form/catalog.hpp"

namespace tilemeter::complexity {

std::vector<Contender> contenders_of(std::string_view algorithm) {
  const Formula& formula = formula_of(algorithm);
  if (formula.computation != Computation::attention && formula.computation != Computation::gradients) return {};
  switch (formula.order) {
    case LoopOrder::untiled:
    case LoopOrder::chunks:
    case LoopOrder::recurrent:
    case LoopOrder::pieces:
      return {{algorithm, TileChoice::untiled}};
    case LoopOrder::gemm:
    case LoopOrder::product:
      return {{algorithm, TileChoice::fit}, {algorithm, TileChoice::optimum}};
    case LoopOrder::kv_outer:
    case LoopOrder::q_outer:
    case LoopOrder::outer_product:
      break;
  }
  return {{algorithm, TileChoice::paper}, {algorithm, TileChoice::fit}, {algorithm, TileChoice::optimum}};
}

Distance distance_of(const Contender& contender, const Scale& scale, const Counting& counting) {
  Distance distance{.contender = contender, .scale = scale, .reason = {}};
  Billed billed;
  try {
    billed = bill_of(contender, scale, counting);
  } catch (const FigureOverflow&) {
    throw;
  } catch (const InputError& error) {
    distance.reason = error.what();
    return distance;
  }
  distance.tiling = billed.point.tiling;
  distance.used = on_chip(contender, billed.point);
  distance.moved = billed.total;
  const bool tiled = distance.used.value() > 0;
  const Elements capacity = tiled ? std::max(Elements(scale.capacity), distance.used) : Elements(0);
  distance.bound = best_of(bounds_of(contender.algorithm, billed.point, billed.work, capacity));
  return distance;
}

}  // namespace tilemeter::complexity
