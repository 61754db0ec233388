#include "model/complexity/quantities.hpp"
#include "model/complexity/theorems/all.hpp"
#include "model/complexity/theorems/grids.hpp"

namespace tilemeter::complexity {
namespace {

FitExperiment flops(Contender contender) {
  return {.contender = contender,
          .quantity = matmul_flops(),
          .where = "random",
          .grid = joint_points,
          .exponents = {{Variable::seq, around(2, rounding)},
                        {Variable::head_dim, around(1, rounding)},
                        {Variable::capacity, around(0, rounding)}}};
}

FitExperiment memory(Contender contender, double exponent_of_seq) {
  return {.contender = contender,
          .quantity = extra_memory(),
          .where = "random",
          .grid = joint_points,
          .exponents = {{Variable::seq, around(exponent_of_seq, rounding)},
                        {Variable::head_dim, around(0, rounding)},
                        {Variable::capacity, around(0, rounding)}}};
}

}  // namespace

Theorem flash_memory() {
  constexpr Contender flash1 = {"flash1", TileChoice::fit};
  constexpr Contender flash2 = {"flash2", TileChoice::fit};
  constexpr Contender standard = {"standard", TileChoice::untiled};
  return {.name = "thm1",
          .title = "FlashAttention, Theorem 1: operations and extra memory",
          .source = "Dao et al. 2022, arXiv:2205.14135, Theorem 1",
          .statement = "exact attention with O(N^2 d) operations and O(N) extra memory",
          .validity = "every N, d, M in which a tile fits",
          .edges = "flash1 keeps l and m, 2N elements; flash2 keeps LSE, N; standard keeps S and P, 2N^2",
          .conclusion = "holds exactly",
          .fits = {flops(flash1), flops(flash2), memory(flash1, 1), memory(flash2, 1), memory(standard, 2)},
          .ratios = {}};
}

}  // namespace tilemeter::complexity
