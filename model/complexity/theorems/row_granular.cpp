#include "model/bound.hpp"
#include "model/complexity/quantities.hpp"
#include "model/complexity/theorems/all.hpp"
#include "model/complexity/theorems/grids.hpp"

namespace tilemeter::complexity {
namespace {

RatioExperiment ratio(Contender contender, Accepted accepted) {
  return {.contender = contender,
          .quantity = traffic_over_row_granular(),
          .where = "random",
          .grid = joint_points,
          .accepted = accepted};
}

}  // namespace

Theorem row_granular() {
  return {
      .name = "row-granular",
      .title = "the least traffic of algorithms that keep scores on chip",
      .source = row_granular_bound().source,
      .statement = row_granular_bound().statement,
      .validity = row_granular_bound().validity,
      .edges = "flash2 with Br = C - 1 and Bc = 1 moves 2Nd ceil(N / (C - 1)) + 2Nd: the constant 4 cannot be improved",
      .conclusion = "holds: nothing moves less, and the best tiles of flash2 stay within 25 % of it",
      .fits = {},
      .ratios = {ratio({"flash1", TileChoice::fit}, {.from = 1}), ratio({"flash1", TileChoice::optimum}, {.from = 1}),
                 ratio({"flash2", TileChoice::fit}, {.from = 1}),
                 ratio({"flash2", TileChoice::optimum}, {.from = 1, .to = 1.25})}};
}

}  // namespace tilemeter::complexity
