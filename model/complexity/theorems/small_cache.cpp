#include "model/complexity/quantities.hpp"
#include "model/complexity/theorems/all.hpp"
#include "model/complexity/theorems/grids.hpp"

namespace tilemeter::complexity {
namespace {

constexpr Scale wide_head = {.seq = 8192, .head_dim = 256};
constexpr Count square = wide_head.head_dim * wide_head.head_dim;

Grid below_square(std::uint64_t) {
  return unaligned(wide_head, Axis::capacity, 8 * wide_head.head_dim, square / 4, 60);
}
/// From tiles of 7 x 7.
Grid materialised_capacities(std::uint64_t) { return unaligned(wide_head, Axis::capacity, 64, square / 4, 60); }
Grid above_square(std::uint64_t) {
  return unaligned(wide_head, Axis::capacity, square, wide_head.seq * wide_head.head_dim, 60);
}

}  // namespace

Theorem small_cache() {
  constexpr Contender streaming = {"flash2", TileChoice::optimum};
  constexpr Contender materialised = {"materialised", TileChoice::optimum};
  return {.name = "saha-ye",
          .title = "the small-cache regime of attention",
          .source = "Saha and Ye 2024, arXiv:2402.07443",
          .statement =
              "Theta(min(N^2 d^2 / M, N^2 d / sqrt(M))): FlashAttention is optimal for M >= d^2, even with fast "
              "matrix multiplication; below, materialised scores are, for classical multiplication",
          .validity = "all M; a statement of orders, so constants are shown and not judged",
          .edges =
              "near its lower edge streaming is steeper than -1: the local exponent is -M / (M - 2d); the table of "
              "crossovers has the M at which the two meet",
          .conclusion =
              "consistent: above d^2 the ratio of streaming to the order is bounded; below d^2 it grows, and that of "
              "materialised scores is bounded",
          .fits = {{.contender = streaming,
                    .quantity = streamed_traffic("flash2"),
                    .where = "M 8d to d^2/4",
                    .grid = below_square,
                    .exponents = {{Variable::capacity, around(-1.195, ceilings)}}},
                   {.contender = materialised,
                    .quantity = streamed_traffic("materialised"),
                    .where = "M 64 to d^2/4",
                    .grid = materialised_capacities,
                    .exponents = {{Variable::capacity, around(-0.516, ceilings)}}}},
          .ratios = {{.contender = streaming,
                      .quantity = traffic_over_forward_order(),
                      .where = "M 8d to d^2/4",
                      .grid = below_square},
                     {.contender = streaming,
                      .quantity = traffic_over_forward_order(),
                      .where = "M d^2 to Nd",
                      .grid = above_square},
                     {.contender = materialised,
                      .quantity = traffic_over_forward_order(),
                      .where = "M 64 to d^2/4",
                      .grid = materialised_capacities}}};
}

}  // namespace tilemeter::complexity
