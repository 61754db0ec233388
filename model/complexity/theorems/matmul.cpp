#include "model/bound.hpp"
#include "model/complexity/quantities.hpp"
#include "model/complexity/theorems/all.hpp"
#include "model/complexity/theorems/grids.hpp"

namespace tilemeter::complexity {
namespace {

Grid capacities(std::uint64_t) { return unaligned({.seq = 4096, .head_dim = 256}, Axis::capacity, 64, 256 * 256, 60); }

/// Sides of 15 and more: a smaller side is short of sqrt(M) by a share that shows in the exponent.
Grid row_capacities(std::uint64_t) {
  return unaligned({.seq = 4096, .head_dim = 256}, Axis::capacity, 256, 256 * 256, 60);
}
/// Where k >= 2 sqrt(M).
Grid deep_capacities(std::uint64_t) {
  return unaligned({.seq = 4096, .head_dim = 256}, Axis::capacity, 64, 128 * 128, 60);
}

}  // namespace

Theorem matmul() {
  constexpr Contender c_stationary = {"gemm", TileChoice::fit};
  constexpr Contender best_order = {"gemm", TileChoice::optimum};
  return {
      .name = "matmul",
      .title = "the least traffic of classical matrix products",
      .source = matmul_bound().source,
      .statement = matmul_bound().statement,
      .validity = "every shape and M, for classical multiplication; 2mnk / sqrt(M) + mn holds for k >= 2 sqrt(M) only",
      .edges = "an operand that stays on chip (k < 2 sqrt(M)) goes below 2mnk / sqrt(M) + mn",
      .conclusion = "holds: no product moves less, and square tiles of C show the exponent -1/2",
      .fits = {{.contender = c_stationary,
                .quantity = operand_traffic(),
                .where = "M d to d^2",
                .grid = row_capacities,
                .exponents = {{Variable::capacity, around(-0.5, ceilings)}}}},
      .ratios = {{.contender = {"standard_tiled", TileChoice::optimum},
                  .quantity = traffic_over_score_products(),
                  .where = "M 64 to d^2",
                  .grid = capacities,
                  .accepted = {.from = 1}},
                 {.contender = best_order,
                  .quantity = traffic_over_product(),
                  .where = "M 64 to d^2",
                  .grid = capacities,
                  .accepted = {.from = 1}},
                 {.contender = best_order,
                  .quantity = traffic_over_deep_product(),
                  .where = "M 64 to d^2/4",
                  .grid = deep_capacities,
                  .accepted = {.from = 1}}}};
}

}  // namespace tilemeter::complexity
