#include "model/bound.hpp"
#include "model/complexity/quantities.hpp"
#include "model/complexity/theorems/all.hpp"
#include "model/complexity/theorems/grids.hpp"

namespace tilemeter::complexity {
namespace {

Grid capacities(std::uint64_t) { return unaligned({.seq = 4096, .head_dim = 256}, Axis::capacity, 64, 256 * 256, 60); }

}  // namespace

Theorem matmul() {
  return {
      .name = "matmul",
      .title = "the least traffic of classical matrix products",
      .source = matmul_bound().source,
      .statement = matmul_bound().statement,
      .validity = "every shape and M, for classical multiplication; 2mnk / sqrt(M) + mn holds for k >= 2 sqrt(M) only",
      .edges = "an operand that stays on chip (k < 2 sqrt(M)) goes below 2mnk / sqrt(M) + mn",
      .conclusion = "holds: the two products of attention in GEMM tiles never move less",
      .fits = {},
      .ratios = {{.contender = {"standard_tiled", TileChoice::optimum},
                  .quantity = traffic_over_score_products(),
                  .where = "M 64 to d^2",
                  .grid = capacities,
                  .accepted = {.from = 1}}}};
}

}  // namespace tilemeter::complexity
