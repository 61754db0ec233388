#include "model/complexity/quantities.hpp"
#include "model/complexity/theorems/all.hpp"
#include "model/complexity/theorems/grids.hpp"

namespace tilemeter::complexity {
namespace {

constexpr Scale head = {.seq = 8192, .head_dim = 64};

Grid every_capacity(std::uint64_t) {
  return unaligned(head, Axis::capacity, 8 * head.head_dim, head.seq * head.head_dim, 200);
}

/// From the smallest M at which the whole problem is one tile.
Grid whole_on_chip_flash2(std::uint64_t) {
  const Count least = head.seq * (2 * head.head_dim + 3) + 2 * head.head_dim;
  return unaligned(head, Axis::capacity, least, 16 * least, 20);
}
Grid whole_on_chip_flash1(std::uint64_t) {
  const Count least = 4 * head.head_dim * (head.seq - 1) + 1;
  return unaligned(head, Axis::capacity, least, 16 * least, 20);
}

}  // namespace

Theorem flash_lower_bound() {
  return {.name = "prop3",
          .title = "FlashAttention, Proposition 3: no exact algorithm is better for all M",
          .source = "Dao et al. 2022, arXiv:2205.14135, Proposition 3",
          .statement = "no exact algorithm moves o(N^2 d^2 / M) for all M in [d, Nd]",
          .validity =
              "weak: it rests on M of the order of Nd alone, where N^2 d^2 / M is the compulsory traffic; "
              "elsewhere see saha-ye and row-granular",
          .edges =
              "flash2 reaches 4Nd + N exactly from M = N(2d + 3) + 2d on, flash1 with the paper's tiles 5Nd + 4N "
              "from M = 4d(N - 1) + 1 on",
          .conclusion = "consistent: T M / (N^2 d^2) stays above 4, and no counterexample is claimed or needed",
          .fits = {},
          .ratios = {{.contender = {"flash2", TileChoice::optimum},
                      .quantity = traffic_over_flash_order(),
                      .where = "M 8d to Nd",
                      .grid = every_capacity,
                      .accepted = {.from = 4}},
                     {.contender = {"flash2", TileChoice::optimum},
                      .quantity = traffic_over_flash2_floor(),
                      .where = "all on chip",
                      .grid = whole_on_chip_flash2,
                      .accepted = {.from = 1, .to = 1}},
                     {.contender = {"flash1", TileChoice::paper},
                      .quantity = traffic_over_flash1_floor(),
                      .where = "all on chip",
                      .grid = whole_on_chip_flash1,
                      .accepted = {.from = 1, .to = 1}}}};
}

}  // namespace tilemeter::complexity
