#include "model/complexity/quantities.hpp"
#include "model/complexity/theorems/all.hpp"
#include "model/complexity/theorems/grids.hpp"

namespace tilemeter::complexity {
namespace {

constexpr Contender flash1_paper = {"flash1", TileChoice::paper};
constexpr Contender standard = {"standard", TileChoice::untiled};

constexpr Scale long_head = {.seq = 65536, .head_dim = 64, .capacity = 50000};
constexpr Count key_row = 4 * 64;  ///< M of one key row in the paper's rule, Bc = ceil(M / 4d)

/// M from `from` to `to` key rows, at N = 65536, d = 64.
template <Count from, Count to>
Grid windows(std::uint64_t) {
  return unaligned(long_head, Axis::capacity, from * key_row, to * key_row, 60);
}
Grid aligned_capacities(std::uint64_t) { return doubling(long_head, Axis::capacity, 16 * key_row, 1024 * key_row); }

template <Count capacity>
Grid lengths(std::uint64_t) {
  Scale head = long_head;
  head.capacity = capacity;
  return doubling(head, Axis::seq, 1 << 10, 1 << 17);
}

Grid head_dims(std::uint64_t) {
  Scale head = long_head;
  head.capacity = 1 << 19;
  return doubling(head, Axis::head_dim, 16, 256);
}

/// From where a row of S fits to 64 panels.
Grid panel_capacities(std::uint64_t) {
  return unaligned({.seq = 65536, .head_dim = 256}, Axis::capacity, 1 << 16, 1 << 18, 60);
}

FitExperiment one(Contender contender, Quantity quantity, std::string_view where, Grid (*grid)(std::uint64_t),
                  Variable variable, Accepted accepted) {
  return {
      .contender = contender, .quantity = quantity, .where = where, .grid = grid, .exponents = {{variable, accepted}}};
}

FitExperiment joint(Contender contender, double seq, double head_dim, double capacity) {
  return {.contender = contender,
          .quantity = streamed_traffic(contender.algorithm),
          .where = "random",
          .grid = joint_points,
          .exponents = {{Variable::seq, around(seq, ceilings)},
                        {Variable::head_dim, around(head_dim, ceilings)},
                        {Variable::capacity, around(capacity, ceilings)}}};
}

/// The paper's tiles over M.
std::vector<FitExperiment> over_capacity() {
  const Quantity streamed = streamed_traffic("flash1");
  const Quantity total = total_traffic();
  constexpr auto capacity = Variable::capacity;
  return {
      one(flash1_paper, streamed, "aligned", aligned_capacities, capacity, around(-1, rounding)),
      one(flash1_paper, total, "aligned", aligned_capacities, capacity, around(-0.9979, 0.0001)),
      one(flash1_paper, streamed, "unaligned", windows<16, 1024>, capacity, around(-0.9926, ceilings)),
      one(flash1_paper, total, "M/4d 1 to 16", windows<1, 16>, capacity, around(-0.852, ceilings)),
      one(flash1_paper, total, "M/4d 16 to 256", windows<16, 256>, capacity, around(-0.989, ceilings)),
      one(flash1_paper, total, "M/4d 256 to 4096", windows<256, 4096>, capacity, around(-0.978, ceilings)),
      one(flash1_paper, total, "M/4d 4096 to 65536", windows<4096, 65536>, capacity, around(-0.741, ceilings)),
      one(flash1_paper, total, "M/4d over 65536", windows<65536, 1 << 20>, capacity, around(0, rounding)),
  };
}

/// The paper's tiles over N and d.
std::vector<FitExperiment> over_problem() {
  const Quantity streamed = streamed_traffic("flash1");
  return {
      one(flash1_paper, streamed, "Bc = 196", lengths<50000>, Variable::seq, around(1.979, ceilings)),
      one(flash1_paper, streamed, "Bc = 256", lengths<65536>, Variable::seq, around(2, rounding)),
      one(flash1_paper, streamed, "aligned", head_dims, Variable::head_dim, around(1.974, 0.001)),
      one(flash1_paper, query_and_output_traffic(), "aligned", head_dims, Variable::head_dim, around(2, rounding)),
  };
}

std::vector<FitExperiment> joint_fits() {
  return {joint(flash1_paper, 1.996, 1.966, -0.994), joint({"flash1", TileChoice::optimum}, 1.994, 1.956, -0.996),
          joint({"flash2", TileChoice::optimum}, 1.993, 1.964, -0.996)};
}

std::vector<FitExperiment> standard_attention() {
  const Contender panels = {"standard", TileChoice::panels};
  return {
      one(standard, score_traffic(), "aligned", lengths<50000>, Variable::seq, around(2, rounding)),
      one(standard, total_traffic(), "unaligned", windows<16, 1024>, Variable::capacity, around(0, rounding)),
      one(panels, panel_traffic(), "GEMM panels within M", panel_capacities, Variable::capacity, around(-1, ceilings)),
  };
}

}  // namespace

Theorem flash_forward() {
  Theorem theorem{
      .name = "thm2",
      .title = "FlashAttention, Theorem 2: traffic of the forward pass",
      .source = "Dao et al. 2022, arXiv:2205.14135, Theorem 2",
      .statement = "standard attention moves Theta(Nd + N^2), FlashAttention Theta(N^2 d^2 / M)",
      .validity =
          "published for d <= M <= Nd. The half on standard attention needs M of the order of d^2 or more; the "
          "half on FlashAttention needs M >= 4d + 3, where one row fits, and for M <= 4d^2 other tiles than the "
          "paper's",
      .edges =
          "paper's tiles: Bc = 1 and no dependence on M up to M = 4d, exactly 5Nd + 4N from M = 4d(N - 1) + 1 on; "
          "the part that depends on M is fitted, because the rest bends T",
      .conclusion = "holds: exponents 2, 2, -1 up to ceilings and the d^1 of l and m",
  };
  for (const auto& part : {over_capacity(), over_problem(), joint_fits(), standard_attention()}) {
    theorem.fits.insert(theorem.fits.end(), part.begin(), part.end());
  }
  return theorem;
}

}  // namespace tilemeter::complexity
