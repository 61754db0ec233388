#include "model/complexity/quantities.hpp"
#include "model/complexity/theorems/all.hpp"
#include "model/complexity/theorems/grids.hpp"

namespace tilemeter::complexity {
namespace {

constexpr Contender backward_paper = {"flash1_backward", TileChoice::paper};
constexpr Contender flash1_optimum = {"flash1_backward", TileChoice::optimum};
constexpr Contender atomics_optimum = {"flash2_backward", TileChoice::optimum, Variant::atomics};
constexpr Contender two_kernels_fit = {"flash2_backward", TileChoice::fit, Variant::two_kernels};
constexpr Contender two_kernels_square = {"flash2_backward", TileChoice::square, Variant::two_kernels};

Grid backward_capacities(std::uint64_t) {
  return doubling({.seq = 65536, .head_dim = 64}, Axis::capacity, 4096, 1 << 18);
}

Grid backward_lengths(std::uint64_t) { return doubling({.seq = 1, .head_dim = 64}, Axis::seq, 1 << 10, 1 << 17); }

/// M from `from` to `to` times d^2, at N = 2^20, d = 64.
template <Count from, Count to>
Grid backward_window(std::uint64_t) {
  constexpr Count square = 64 * 64;
  return unaligned({.seq = 1 << 20, .head_dim = 64}, Axis::capacity, from * square, to * square, 60);
}

Quantity streamed_by(const Contender& contender) { return streamed_traffic(contender.algorithm, contender.variant); }

/// The figures of the paper's tiles. Those of least traffic move N^2 (4d + 2)(5d + 2) / M (flash1) and N^2 (4d + 2)^2 /
/// M (flash2), whose exponents of d are 1.986 and 1.985 at d = 64.
FitExperiment joint(const Contender& contender) {
  return {.contender = contender,
          .quantity = streamed_by(contender),
          .where = "random",
          .grid = joint_points,
          .exponents = {{Variable::seq, around(1.996, ceilings)},
                        {Variable::head_dim, around(1.986, ceilings)},
                        {Variable::capacity, around(-0.994, ceilings)}}};
}

FitExperiment over_capacity(const Contender& contender, std::string_view where, Grid (*grid)(std::uint64_t),
                            Accepted accepted) {
  return {.contender = contender,
          .quantity = streamed_by(contender),
          .where = where,
          .grid = grid,
          .exponents = {{Variable::capacity, accepted}}};
}

FitExperiment standard_backward_fit() {
  return {.contender = {"standard_backward", TileChoice::untiled},
          .quantity = gradient_score_traffic(),
          .where = "aligned",
          .grid = backward_lengths,
          .exponents = {{Variable::seq, around(2, rounding)}}};
}

}  // namespace

Theorem flash_backward() {
  return {
      .name = "thm5",
      .title = "FlashAttention, Theorem 5: traffic of the backward pass",
      .source = "Dao et al. 2022, arXiv:2205.14135, Theorem 5",
      .statement = "standard attention moves Theta(Nd + N^2), FlashAttention Theta(N^2 d^2 / M)",
      .validity =
          "published for d <= M <= Nd, with the reservations of thm2; the paper's tiles never fit, because K, V, dK, "
          "dV of one key tile alone take 4d Bc >= M",
      .edges =
          "two kernels that share one tiling trade Br against Bc: square tiles of B = (sqrt((6d + 2)^2 + 8M) - (6d + "
          "2)) / 4 move N^2 (4d + 2) / B, so the exponent goes from -1 to -1/2; with Br held at d, as fit does, it "
          "goes to 0",
      .conclusion =
          "holds: exponents 2, 2, -1 up to ceilings and the d^1 of the statistics; not for two kernels that "
          "share a tiling",
      .fits = {over_capacity(backward_paper, "aligned", backward_capacities, around(-1, rounding)),
               joint(backward_paper), joint(flash1_optimum), joint(atomics_optimum),
               over_capacity(two_kernels_square, "M/d^2 8 to 64", backward_window<8, 64>, around(-0.707, ceilings)),
               over_capacity(two_kernels_square, "M/d^2 64 to 1024", backward_window<64, 1024>,
                             around(-0.569, ceilings)),
               over_capacity(two_kernels_square, "M/d^2 1024 to 16384", backward_window<1024, 16384>,
                             around(-0.517, ceilings)),
               over_capacity(two_kernels_fit, "M/d^2 1024 to 16384", backward_window<1024, 16384>, around(0, ceilings)),
               standard_backward_fit()},
      .ratios = {}};
}

}  // namespace tilemeter::complexity
