#include "model/complexity/quantities.hpp"
#include "model/complexity/theorems/all.hpp"

namespace tilemeter::complexity {
namespace {

constexpr Scale backward_head = {.seq = 8192, .head_dim = 256};
constexpr Count backward_square = backward_head.head_dim * backward_head.head_dim;

/// From twice the M at which the first row fits.
Grid below_backward_square(std::uint64_t) {
  return unaligned(backward_head, Axis::capacity, 16 * backward_head.head_dim, backward_square / 4, 60);
}
Grid above_backward_square(std::uint64_t) {
  return unaligned(backward_head, Axis::capacity, backward_square, backward_head.seq * backward_head.head_dim, 60);
}

RatioExperiment ratio(const Contender& contender, std::string_view where, Grid (*grid)(std::uint64_t)) {
  return {.contender = contender, .quantity = traffic_over_backward_order(), .where = where, .grid = grid};
}

}  // namespace

Theorem backward_order() {
  constexpr Contender flash1 = {"flash1_backward", TileChoice::optimum};
  constexpr Contender flash2 = {"flash2_backward", TileChoice::optimum, Variant::atomics};
  return {.name = "li",
          .title = "the order of the traffic of the backward pass",
          .source = "Li et al. 2024, arXiv:2410.09397",
          .statement = "Theta(min((N^2 d^2 + N d^3) / M, (N^2 d + N d^2) / sqrt(M)))",
          .validity = "all M; a statement of orders, so constants are shown and not judged",
          .edges = "the orders cross at M = d^2; streaming leaves the second one below it",
          .conclusion = "shown: above d^2 the ratio to the order is bounded, below d^2 that of streaming grows",
          .fits = {},
          .ratios = {ratio(flash1, "M 16d to d^2/4", below_backward_square),
                     ratio(flash1, "M d^2 to Nd", above_backward_square),
                     ratio(flash2, "M 16d to d^2/4", below_backward_square),
                     ratio(flash2, "M d^2 to Nd", above_backward_square)}};
}

}  // namespace tilemeter::complexity
